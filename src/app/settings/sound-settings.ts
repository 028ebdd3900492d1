import type { Problem } from '../../errors/config-error.js'
import type { AppOptions } from './app-options.js'
import { resolveWithStandIns } from './resolve-settings.js'
import type { Settings } from './settings.js'

/** The options that controllers and providers are read with. If one is wrong, their mistakes would be consequences. */
const OF_STRUCTURE: ReadonlySet<string | undefined> = new Set<keyof AppOptions>([
  'controllers',
  'modules',
  'providers',
  'plugins',
  'prefix',
  'defaultStatus',
  'auth',
  'envelope',
  'responses',
])

/**
 * The settings without the options that are wrong, so that the rest of an application can be checked as well; `undefined`
 * if the rest depends on a wrong option.
 */
export function soundSettings(
  options: AppOptions,
  problems: readonly Problem[],
): Settings | undefined {
  const wrong = new Set(problems.map(({ subject }) => /^\w+/.exec(subject)?.[0]))
  if ([...wrong].some((name) => name === undefined || OF_STRUCTURE.has(name))) return undefined
  const sound = Object.entries(options).filter(([name]) => !wrong.has(name))
  try {
    return resolveWithStandIns(Object.fromEntries(sound)).settings
  } catch {
    // Then a problem names another option than the wrong one.
    return undefined
  }
}
