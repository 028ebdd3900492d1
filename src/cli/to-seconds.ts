import { InvalidArgumentError } from 'commander'

/**
 * Reads the argument of an option that takes seconds.
 *
 * @param zero `0` if zero is allowed, too.
 */
export function toSeconds(max: number, zero?: 0): (text: string) => number {
  return (text) => {
    const seconds = text.trim() === '' ? Number.NaN : Number(text)
    if (seconds === zero || (seconds > 0 && seconds <= max)) return seconds
    throw new InvalidArgumentError(`Give seconds, up to ${max}.`)
  }
}
