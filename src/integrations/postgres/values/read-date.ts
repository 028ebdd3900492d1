const MOMENT =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})\d*)?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?( BC)?$/

/**
 * The moment that a `timestamptz` is; a `timestamp`, which has no zone, is taken for UTC. `infinity` is the number `Infinity`, because no
 * date is; what a server writes in another style than ISO stays text.
 */
export function readDate(text: string): Date | number | string {
  const match = MOMENT.exec(text)
  if (match === null) return readInfinity(text)
  const [, year, month, day, hour, minute, second, fraction = '', sign, ...rest] = match
  const [zoneHours = 0, zoneMinutes = 0, zoneSeconds = 0, era] = rest
  const date = new Date(0)
  const fullYear = era === undefined ? Number(year) : 1 - Number(year)
  // Not Date.UTC(year, …): it takes the year 50 for 1950.
  date.setUTCFullYear(fullYear, Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0')))
  const offset = Number(zoneHours) * 3600 + Number(zoneMinutes) * 60 + Number(zoneSeconds)
  return new Date(date.getTime() - (sign === '-' ? -offset : offset) * 1000)
}

function readInfinity(text: string): number | string {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  return text === '-infinity' ? Number.NEGATIVE_INFINITY : text
}
