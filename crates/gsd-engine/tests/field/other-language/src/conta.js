export function saldo() {}
