import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import type { AppOptions } from './app-options.js'

/** Options that must be objects, with an example of each. The files of other groups check their own. */
const EXAMPLES = {
  auth: 'Give { guard }, or leave it out.',
  security: 'Give { helmet: false } for no protective headers, or leave it out.',
  limits: "Give { body: '1mb' }, or leave it out.",
  timeouts: "Give { handler: '30s' }, or leave it out.",
  cookies: 'Give { keys: ({ get }) => get(Env).COOKIE_KEYS }, or leave it out.',
} as const satisfies Partial<Record<keyof AppOptions, string>>

/** Finds options that are not objects: `security: false` and `auth: true` would have no effect. */
export function checkObjects(options: AppOptions): Problem[] {
  return Object.entries(EXAMPLES).flatMap(([name, remedy]) => {
    const value: unknown = options[name as keyof typeof EXAMPLES]
    if (value === undefined) return []
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return []
    // The value is not named: it may be a key of `cookies`.
    return [invalid(name, 'It is not an object.', remedy)]
  })
}
