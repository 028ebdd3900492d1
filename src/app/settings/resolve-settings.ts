import { ConfigError, invalid, type Problem } from '../../errors/config-error.js'
import { unknownNames } from '../../errors/option-group.js'
import { standInProblems } from '../../errors/stand-in.js'
import { ownLoggerOf } from '../../features/logs/logger-options.js'
import type { NamedMiddleware } from '../tenancy/check-routers.js'
import type { AppOptions } from './app-options.js'
import { errorsWith } from './error-options.js'
import { eachGroup, type OwnSettings } from './groups.js'
import { checkMiddlewareTypes } from './list-options.js'
import { namedMiddlewares } from './named-middlewares.js'
import { checkDocumentNames, checkErrorFormats } from './plain-options.js'
import type { Settings } from './settings.js'

/** The result of reading the options. */
export interface Resolved {
  readonly settings: Settings
  /** The warnings about options that are suspicious but valid. The settings are complete despite these warnings. */
  readonly warnings: readonly Problem[]
}

/**
 * Checks options and turns them into settings. An invalid value is an error, and is never replaced by a default. Each
 * option has a field in `app-options.ts` and a group in `groups.ts`.
 *
 * @throws ConfigError with every error in the options themselves.
 */
export function resolveSettings(options: AppOptions): Resolved {
  return resolve(options, standInProblems(madeByFactories(options)))
}

/**
 * Like {@link resolveSettings}, but accepts stand-ins for values of factories. Stand-ins are sufficient to read an
 * application.
 */
export function resolveWithStandIns(options: AppOptions): Resolved {
  return resolve(options, [])
}

function resolve(options: AppOptions, ofFactories: readonly Problem[]): Resolved {
  const middlewares = namedMiddlewares(options)
  const names = Object.fromEntries(eachGroup(options, (_, __, name) => [name, true]))
  const problems = [
    ...ofFactories,
    ...unknownNames('', options, names),
    ...eachGroup(options, (group, option) => group.unknown(option)).flat(),
    ...checkObjects(options),
    ...checkMiddlewareTypes(middlewares),
    ...checkErrorFormats(options),
    ...checkDocumentNames(options),
    ...eachGroup(options, (group, option) => group.check(option)).flat(),
  ]
  const errors = problems.filter(({ code }) => code.startsWith('E_'))
  if (errors.length > 0) throw new ConfigError(errors)
  return { settings: toSettings(options, middlewares), warnings: problems }
}

/** The values in the options that a factory can have created: guards, plugins and stores. */
function madeByFactories({ auth, plugins, cache, rateLimit }: AppOptions): readonly unknown[] {
  const { guard, guards = {} } = auth ?? {}
  const store = typeof rateLimit === 'object' ? rateLimit?.store : undefined
  const all = [guard, ...Object.values(guards ?? {}), ...[plugins].flat(), cache?.store, store]
  return [...new Set<unknown>(all)]
}

function toSettings(options: AppOptions, middlewares: readonly NamedMiddleware[]): Settings {
  const resolved = eachGroup(options, (group, option, name) => [name, group.resolve(option)])
  const { requestIds, openapi, ...settings } = Object.fromEntries(
    resolved,
  ) as unknown as OwnSettings
  const { auth, envelope, errors, tenant, logs } = settings
  const swagger = openapi ?? settings.swagger
  return Object.freeze({
    ...settings,
    swagger,
    middlewares: Object.freeze(middlewares),
    tenant: tenant && Object.freeze({ ...tenant, guards: auth.guards }),
    converters: Object.freeze(Object.assign({}, ...swagger.map((each) => each.converters))),
    errors: errorsWith(envelope, errors),
    sendsRequestIds: requestIds ?? logs !== null,
    ownLogger: ownLoggerOf(options.logger, logs !== null),
  })
}

/** Options that must be objects, with an example of each. Other options are checked in the files of their groups. */
const EXAMPLES = {
  auth: 'Pass { guard }, or omit it.',
  security: 'Pass { helmet: false } to disable the security headers, or omit it.',
  limits: "Pass { body: '1mb' }, or omit it.",
  timeouts: "Pass { handler: '30s' }, or omit it.",
  cookies: 'Pass { keys: ({ get }) => get(Env).COOKIE_KEYS }, or omit it.',
} as const satisfies Partial<Record<keyof AppOptions, string>>

/** Finds options that are not objects, because `security: false` or `auth: true` would have no effect. */
function checkObjects(options: AppOptions): Problem[] {
  return Object.entries(EXAMPLES).flatMap(([name, remedy]) => {
    const value: unknown = options[name as keyof typeof EXAMPLES]
    if (value === undefined) return []
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return []
    // The message does not contain the value, which could be a key of `cookies`.
    return [invalid(name, 'It is not an object.', remedy)]
  })
}

/**
 * The options that affect controllers and providers. If one of these options is invalid, further errors can be
 * consequences.
 */
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
 * The settings without invalid options, so that the rest of an application can also be checked; `undefined` if the rest
 * depends on an invalid option.
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
    // Another option depends on the invalid one. Its problem is only a consequence, so it is not reported.
    return undefined
  }
}
