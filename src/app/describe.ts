import type { Application } from 'express'
import type { Logger } from '../contracts/logger.js'
import type { Plugin, RouteMistake } from '../contracts/plugin.js'
import type { Provider } from '../contracts/provider.js'
import type { AppModel, RouteModel, RouteTableEntry } from '../contracts/route-model.js'
import { collectModules, type Scope } from '../di/modules.js'
import { ConfigError, formatProblem, invalid, type Problem } from '../errors/config-error.js'
import { chainOf } from '../metadata/read.js'
import { checkDecoratedProviders } from '../model/check-decorated-providers.js'
import { checkParameterTypes } from '../model/check-parameter-types.js'
import { readChain, readFieldRoutes } from '../model/field-routes.js'
import type { checkForeign } from '../model/foreign/check-foreign.js'
import { checkCopies } from '../step/copies.js'
import { ignoreRejection } from '../step/step.js'
import { checkApp } from './check-app.js'
import { compileModelOnce } from './compile-once.js'
import { checkDecorators, ROUTE_OPTIONS } from './features.js'
import { routePrefixes } from './route-prefixes.js'
import type { Resolved } from './settings/resolve-settings.js'
import type { Settings } from './settings/settings.js'

/** The data of an application before any instance is created. */
export interface Description {
  readonly model: AppModel
  readonly scopes: readonly Scope[]
  /** Only warnings, because errors are thrown. */
  readonly warnings: readonly Problem[]
}

/** The controllers and providers of an application, before they are compared with the settings. */
export interface Structure extends Omit<Description, 'warnings'> {
  /** Errors and warnings. */
  readonly problems: readonly Problem[]
}

/** The inputs, in addition to the settings, from which an application's description is built. */
export interface DescribeInput {
  /** The providers of the framework itself. */
  readonly builtIn: readonly Provider[]
  /** Finds decorators of other frameworks; `null` if the process has no such decorators. */
  readonly checkForeign: typeof checkForeign | null
}

/**
 * Turns the settings and decorators into data. Little application code runs: schemas, the functions of plugins and
 * guards that check or describe routes, and the constructors of controllers with field routes. These constructors
 * receive stand-ins for their dependencies.
 *
 * @param express The application whose query parser reads the requests.
 * @throws ConfigError with all errors; with `strict`, also with all warnings.
 */
export function describeApp(
  resolved: Resolved,
  input: DescribeInput,
  express: Application,
): Description {
  const { settings } = resolved
  const { model, scopes, problems } = readStructure(settings, input)
  const all = [...resolved.warnings, ...problems]
  // These checks compare settings with the model, so neither is allowed to have errors.
  if (!all.some(({ code }) => code.startsWith('E_'))) {
    all.push(...checkApp(settings, model, express))
  }
  const warnings = throwErrors(all, settings)
  return { model, scopes, warnings }
}

/**
 * Turns controllers and providers into data.
 *
 * @throws ConfigError with the errors that cause all other errors.
 */
export function readStructure(
  settings: Settings,
  { builtIn, checkForeign }: DescribeInput,
): Structure {
  const { plugins, auth } = settings
  // All other problems would only be consequences.
  const copies = checkCopies()
  if (copies.length > 0) throw new ConfigError(copies)
  const graph = collectModules(settings.modules, settings.controllers, [
    { origin: 'the framework', providers: builtIn },
    { origin: 'providers', providers: settings.providers },
    ...plugins.map(({ name, providers = [] }) => ({ origin: `plugin '${name}'`, providers })),
  ])
  const { prefixOf, problems: misplaced } = routePrefixes(settings.prefix, graph.placements)
  // Paths with an invalid prefix would be reported again as invalid or duplicate, once for each route.
  if (misplaced.length > 0) throw new ConfigError([...graph.problems, ...misplaced])
  const controllers = [...new Set(graph.scopes.flatMap((scope) => scope.controllers))]
  const { model, problems } = compileModelOnce(controllers, {
    readChain,
    routeOptions: ROUTE_OPTIONS,
    defaultAccess: auth.defaultAccess,
    hasGuard: auth.guards.length > 0,
    guards: auth.names,
    prefixOf,
    versions: settings.versions,
    defaultStatus: settings.defaultStatus,
    envelope: settings.envelope,
    documented: settings.responses.documented,
  })
  const unread = controllers.flatMap((controller) => readFieldRoutes(controller).problems)
  const errors = problems.filter(({ code }) => code.startsWith('E_'))
  const sound = model.routes.filter((route) => !errors.some((error) => isAbout(error, route)))
  const readKeys = plugins.flatMap(({ metadataKeys = [] }) => metadataKeys)
  const foreign = checkForeign?.({ controllers, scopes: graph.scopes, readKeys }) ?? []
  return {
    model,
    scopes: graph.scopes,
    problems: [
      ...graph.problems,
      ...unread,
      ...foreign,
      ...problems.filter((problem) => !isExplained(problem, [...foreign, ...unread])),
      ...checkDecoratedProviders(graph.scopes, controllers),
      ...checkParameterTypes(model.routes),
      ...checkDecorators(sound),
      ...checkPlugins(plugins, sound),
    ],
  }
}

/**
 * Whether an error is about a decorator of a route or of its class. The value of such a decorator can have any type.
 */
function isAbout({ subject }: Problem, { controller, handler }: RouteModel): boolean {
  const [owner, member] = (subject.split(' ')[0] ?? '').split('.')
  const isOfClass = chainOf(controller).some(({ name }) => name === owner)
  return isOfClass && (member === undefined || member === String(handler))
}

/**
 * Whether a problem with missing decorators or routes has a better explanation: the class has only decorators of
 * another framework, or its fields could not be read.
 */
function isExplained({ code, subject }: Problem, others: readonly Problem[]): boolean {
  if (!['E_DECORATORS_NOT_APPLIED', 'E_DECORATOR_ORPHAN', 'W_CONTROLLER_EMPTY'].includes(code))
    return false
  const [owner] = subject.split('.')
  return others.some((other) => {
    const isUnread = other.code === 'E_FIELD_ROUTES_UNREAD' && other.subject === owner
    return isUnread || (code === 'E_DECORATORS_NOT_APPLIED' && other.subject === subject)
  })
}

/** Whether a problem prevents the start: an error, or with `strict` also a warning. */
export function isFatal({ code }: Problem, { strict }: Pick<Settings, 'strict'>): boolean {
  return strict || code.startsWith('E_')
}

/** Throws the problems that prevent a start. If there are none, returns all problems. */
export function throwErrors(
  problems: readonly Problem[],
  settings: Pick<Settings, 'strict'>,
): readonly Problem[] {
  const fatal = problems.filter((problem) => isFatal(problem, settings))
  if (fatal.length > 0) throw new ConfigError(fatal)
  return problems
}

/** Logs warnings. Never throws. */
export function logWarnings(logger: Logger, warnings: readonly Problem[]): void {
  for (const warning of warnings) {
    try {
      const returned: unknown = logger.warn({ code: warning.code }, formatProblem(warning))
      ignoreRejection(returned)
    } catch {
      // The application must start, and the process must continue, even if the logger fails.
    }
  }
}

/** The warning that `testOverrides` has no effect outside tests. */
export function ignoredOverrides({ testOverrides }: Settings): readonly Problem[] {
  if (testOverrides === null) return []
  return [
    {
      code: 'W_OVERRIDE_IGNORED',
      subject: 'testOverrides',
      cause: 'Only TestApp uses overrides; this application runs with its own providers.',
      remedy: 'Remove them, or create a TestApp.',
    },
  ]
}

/** Collects the errors that plugins find in the use of their decorators. */
function checkPlugins(plugins: readonly Plugin[], routes: readonly RouteModel[]): Problem[] {
  const asked = plugins.filter(({ check }) => check !== undefined)
  return asked.flatMap((plugin) => routes.flatMap((route) => problemsOf(plugin, route)))
}

function problemsOf(plugin: Plugin, route: RouteModel): Problem[] {
  const found: unknown = plugin.check?.(route) ?? []
  if (Array.isArray(found) && found.every(isMistake)) {
    const subject = `${route.name}, plugin '${plugin.name}'`
    return found.map((mistake) => ({ code: 'E_PLUGIN_CHECK', subject, ...mistake }))
  }
  ignoreRejection(found)
  const subject = `plugin '${plugin.name}' check(${route.name})`
  return [invalid(subject, 'It did not return a list of problems.', 'Return [{ cause, remedy }].')]
}

function isMistake(value: unknown): value is RouteMistake {
  const { cause, remedy } = (value ?? {}) as Partial<Record<string, unknown>>
  return typeof cause === 'string' && typeof remedy === 'string'
}

/** Returns the routes of the model as rows, for display and for snapshots. */
export function routeTable({ routes }: AppModel): RouteTableEntry[] {
  return routes.map(
    ({
      method,
      path,
      controller,
      handler,
      isProtected,
      isAuthOptional,
      guards,
      webhook,
      version,
    }) => ({
      method,
      path,
      controller: controller.name,
      handler: String(handler),
      isProtected,
      isAuthOptional,
      // These fields are left out if they are empty, so that existing snapshots do not change.
      ...(guards.length > 0 && { guards }),
      ...(version !== null && { version }),
      ...(webhook !== null && { isSigned: true as const }),
    }),
  )
}
