export const cents = (value: number) => Math.round(value * 100)
