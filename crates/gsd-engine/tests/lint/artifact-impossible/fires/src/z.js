export function start() {}
// the end
