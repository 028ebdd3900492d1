/** A moment as PostgreSQL reads it, in UTC: what the time zone of a process or a session is makes no difference. */
export function writeDate(date: Date): string {
  if (Number.isNaN(date.getTime())) {
    throw new TypeError('An invalid Date cannot be a value of a statement.')
  }
  const year = date.getUTCFullYear()
  const rest = date.toISOString().slice(-20)
  // There is no year 0: before the year 1 comes 1 BC.
  if (year < 1) return `${pad(1 - year)}${rest} BC`
  return `${pad(year)}${rest}`
}

function pad(year: number): string {
  return String(year).padStart(4, '0')
}
