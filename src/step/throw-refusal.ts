import { Refusal } from './refusal.js'
import { ignoreRejection, isThenable, whenSettled } from './thenable.js'

/**
 * Throws the error of a refusal, or rejects with it, and returns any other value. Code that is not the framework's own
 * sees every failure as an error, and cannot send a refusal as a value by mistake.
 *
 * A rejection that this code does not wait for, or not yet, does not end the process: every refused request could end it.
 */
export function throwRefusal(value: unknown): unknown {
  if (isThenable(value)) {
    const settled = whenSettled(value, throwRefusal)
    ignoreRejection(settled)
    return settled
  }
  if (value instanceof Refusal) throw value.error
  return value
}
