// The original methods, read when this module loads, so that later changes to `Date.prototype` can be detected.
const { toJSON, toISOString, valueOf: toNumber, [Symbol.toPrimitive]: toPrimitive } = Date.prototype
const { getTime, getUTCFullYear, getUTCMonth, getUTCDate } = Date.prototype

/**
 * False if a method of `Date.prototype` was replaced before this module was loaded. `JSON.stringify` then converts all
 * dates.
 */
const IS_NATIVE = [toJSON, toISOString, toNumber].every((method) =>
  /^function \w+\(\) \{ \[native code\] \}$/.test(Function.prototype.toString.call(method)),
)

// Each part contains its separators, because joining 8 parts takes fewer instructions than joining 13.
const MONTHS = twoDigits(12, (n) => `-${n}`, 1)
const DAYS = twoDigits(32, (n) => `-${n}`)
const HOURS = twoDigits(24, (n) => `T${n}:`)
const MINUTES = twoDigits(60, (n) => `${n}:`)
const SECONDS = twoDigits(60, (n) => `${n}.`)

const DAY_MS = 86_400_000

/**
 * Returns the string that `JSON.stringify` writes for a date: the result of `toISOString`, or `null` for an invalid
 * date. A date whose conversion methods were added or replaced is returned unchanged, so that `JSON.stringify` calls
 * them.
 */
export function dateText(date: Date): string | null | Date {
  if (!isOrdinary(date)) return date
  const year = getUTCFullYear.call(date)
  // Years above 9999 have a sign, years below 1000 have leading zeros, and an invalid date has the year
  // `NaN`.
  if (!(year >= 1000 && year <= 9999)) return date.toJSON()
  const time = getTime.call(date)
  const timeOfDay = time - Math.floor(time / DAY_MS) * DAY_MS
  const seconds = Math.floor(timeOfDay / 1000)
  const milliseconds = timeOfDay % 1000
  return (
    year +
    (MONTHS[getUTCMonth.call(date)] as string) +
    DAYS[getUTCDate.call(date)] +
    HOURS[Math.floor(seconds / 3600)] +
    MINUTES[Math.floor(seconds / 60) % 60] +
    SECONDS[seconds % 60] +
    (milliseconds < 10 ? '00' : milliseconds < 100 ? '0' : '') +
    milliseconds +
    'Z'
  )
}

/**
 * Whether the date uses the original conversion methods: the date, its class and `Date.prototype` must not replace
 * them.
 */
function isOrdinary(date: Date): boolean {
  return (
    IS_NATIVE &&
    date.toJSON === toJSON &&
    date.toISOString === toISOString &&
    date.valueOf === toNumber &&
    date[Symbol.toPrimitive] === toPrimitive
  )
}

function twoDigits(count: number, write: (digits: string) => string, from = 0): string[] {
  return Array.from({ length: count }, (_, n) => write(String(n + from).padStart(2, '0')))
}
