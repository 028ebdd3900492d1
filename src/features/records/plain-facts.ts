import type { Decision, DecisionValue } from '../../contracts/decision.js'
import { isFlag, isSecretName } from '../../schema/secret-name.js'

type NotedFacts = NonNullable<Decision['facts']>

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'an error that cannot be read'
  }
}

const HIDDEN = '[secret]'
const DEEPEST = 5
const MOST_ITEMS = 100
/** Longer texts are cut, after their secrets are hidden. */
const LONGEST = 2000

/** Copies the facts of a decision, as JSON has them, without secrets. Any code may note them, so any value may come. */
export function plainFacts(facts: Decision['facts'], hide: (text: string) => string): NotedFacts {
  const copied = copy(facts ?? {}, 0)
  return typeof copied === 'object' && copied !== null && !Array.isArray(copied)
    ? (copied as NotedFacts)
    : {}

  function copy(value: unknown, depth: number): DecisionValue {
    if (typeof value === 'string') return hide(value).slice(0, LONGEST)
    if (typeof value === 'boolean' || value === null) return value
    if (typeof value === 'number') return number(value)
    if (typeof value !== 'object' || depth > DEEPEST) return hide(String(value)).slice(0, LONGEST)
    try {
      if (Array.isArray(value))
        return value.slice(0, MOST_ITEMS).map((item) => copy(item, depth + 1))
      const fields = Object.entries(value).slice(0, MOST_ITEMS)
      return Object.fromEntries(
        fields.map(([name, field]) => [
          hide(name),
          isSecretName(name) && !isFlag(field) ? HIDDEN : copy(field, depth + 1),
        ]),
      )
    } catch {
      return 'a value that cannot be read'
    }
  }

  /** A secret may be a number. */
  function number(value: number): DecisionValue {
    if (!Number.isFinite(value)) return String(value)
    const text = String(value)
    const hidden = hide(text)
    return hidden === text ? value : hidden
  }
}
