import { Refusal } from './refusal.js'
import { isThenable, whenSettled } from './thenable.js'

/**
 * Throws the error of a refusal, or rejects with it, and returns any other value. Code that is not the framework's own
 * sees every failure as an error, and cannot send a refusal as a value by mistake.
 */
export function throwRefusal(value: unknown): unknown {
  if (isThenable(value)) return whenSettled(value, throwRefusal)
  if (value instanceof Refusal) throw value.error
  return value
}
