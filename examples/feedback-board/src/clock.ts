/** Where the time comes from. Tests pass a clock that they can move. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
