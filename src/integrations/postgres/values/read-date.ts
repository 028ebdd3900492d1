const MOMENT =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})\d*)?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?( BC)?$/

/**
 * Reads a `timestamptz`, or a `timestamp`, which has no zone and is read as UTC. `infinity` becomes
 * the number `Infinity`, because no `Date` can be infinite. A text in another style than ISO stays
 * text.
 */
export function readDate(text: string): Date | number | string {
  const match = MOMENT.exec(text)
  if (match === null) return readInfinity(text)
  const [, year, month, day, hour, minute, second, fraction = '', sign, ...rest] = match
  const [zoneHours = 0, zoneMinutes = 0, zoneSeconds = 0, era] = rest
  const date = new Date(0)
  const fullYear = era === undefined ? Number(year) : 1 - Number(year)
  // `Date.UTC(year, …)` would read the year 50 as 1950.
  date.setUTCFullYear(fullYear, Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0')))
  const offset = Number(zoneHours) * 3600 + Number(zoneMinutes) * 60 + Number(zoneSeconds)
  return new Date(date.getTime() - (sign === '-' ? -offset : offset) * 1000)
}

function readInfinity(text: string): number | string {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  return text === '-infinity' ? Number.NEGATIVE_INFINITY : text
}
