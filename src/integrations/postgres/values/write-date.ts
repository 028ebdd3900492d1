/**
 * Writes a date for PostgreSQL in UTC, so that the time zones of process and session do not matter.
 */
export function writeDate(date: Date): string {
  if (Number.isNaN(date.getTime())) {
    throw new TypeError('An invalid Date cannot be a value of a statement.')
  }
  const year = date.getUTCFullYear()
  const rest = date.toISOString().slice(-20)
  // PostgreSQL has no year 0: the year before 1 is 1 BC.
  if (year < 1) return `${pad(1 - year)}${rest} BC`
  return `${pad(year)}${rest}`
}

function pad(year: number): string {
  return String(year).padStart(4, '0')
}
