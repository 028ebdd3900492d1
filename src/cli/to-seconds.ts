import { InvalidArgumentError } from 'commander'

/** Reads the argument of an option that takes seconds. */
export function toSeconds(max: number): (text: string) => number {
  return (text) => {
    const seconds = Number(text)
    if (seconds > 0 && seconds <= max) return seconds
    throw new InvalidArgumentError(`Give seconds, up to ${max}.`)
  }
}
