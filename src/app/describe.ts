import type { Logger } from '../contracts/logger.js'
import type { Provider } from '../contracts/provider.js'
import type { AppModel } from '../contracts/route-model.js'
import { collectModules, type Scope } from '../di/modules.js'
import { ConfigError, formatProblem, type Problem } from '../errors/config-error.js'
import { chainOf, readClass } from '../metadata/read.js'
import { checkDecoratedProviders } from '../model/check-decorated-providers.js'
import { checkParameterTypes } from '../model/check-parameter-types.js'
import { checkForeign } from '../model/foreign/check-foreign.js'
import { checkBodies } from './check-bodies.js'
import { checkMiddlewares } from './check-middlewares.js'
import { checkOptions } from './check-options.js'
import { checkExposedDocs } from './check-swagger.js'
import { compileOnce } from './compile-once.js'
import { checkFeatures } from './features.js'
import type { AppOptions } from './options.js'

/** What an application is, before anything of it is made. */
export interface Description {
  readonly model: AppModel
  readonly scopes: readonly Scope[]
  /** Suspicious things only: what is wrong was thrown. */
  readonly warnings: readonly Problem[]
}

/**
 * Reads the options and the decorators into data. Runs no code of the user's.
 *
 * @param builtIn What the framework itself provides.
 * @throws ConfigError with everything that is wrong; with `strict`, with everything that is suspicious too.
 */
export function describeApp(options: AppOptions, builtIn: readonly Provider[]): Description {
  const optionProblems = checkOptions(options)
  // Nothing can be read out of lists that are none.
  throwErrors(optionProblems, { strict: false })
  const plugins = options.plugins ?? []
  const graph = collectModules(options.modules ?? [], options.controllers ?? [], [
    { origin: 'the framework', providers: builtIn },
    { origin: 'providers', providers: options.providers ?? [] },
    ...plugins.map(({ name, providers = [] }) => ({ origin: `plugin '${name}'`, providers })),
  ])
  const controllers = [...new Set(graph.scopes.flatMap((scope) => scope.controllers))]
  const { model, problems } = compileOnce(controllers, {
    readChain: (target) => chainOf(target).map(readClass),
    defaultAccess: options.auth?.default ?? 'public',
    hasGuard: options.auth?.guard !== undefined,
  })
  const readKeys = plugins.flatMap(({ metadataKeys = [] }) => metadataKeys)
  const foreign = checkForeign({ controllers, scopes: graph.scopes, readKeys })
  const all = [
    ...optionProblems,
    ...graph.problems,
    ...foreign,
    ...problems.filter((problem) => !isExplained(problem, foreign)),
    ...checkDecoratedProviders(graph.scopes, controllers),
    ...checkParameterTypes(model.routes),
  ]
  // How features relate to each other can be said only of ones that are right by themselves.
  if (!all.some(({ code }) => code.startsWith('E_'))) {
    all.push(...checkFeatures(options, model), ...checkMiddlewares(options, model))
    all.push(...checkExposedDocs(options, model), ...checkBodies(options, model))
  }
  const warnings = throwErrors(all, options)
  return { model, scopes: graph.scopes, warnings }
}

/** No decorator of ours ran on a class of another framework, and no bundler has dropped any. */
function isExplained({ code, subject }: Problem, foreign: readonly Problem[]): boolean {
  return (
    code === 'E_DECORATORS_NOT_APPLIED' && foreign.some((problem) => problem.subject === subject)
  )
}

/** Throws what keeps the application from starting; answers with what does not. */
export function throwErrors(
  problems: readonly Problem[],
  { strict }: AppOptions,
): readonly Problem[] {
  const fatal = problems.filter(({ code }) => strict || code.startsWith('E_'))
  if (fatal.length > 0) throw new ConfigError(fatal)
  return problems
}

/** Logs what is suspicious. */
export function logWarnings(logger: Logger, warnings: readonly Problem[]): void {
  for (const warning of warnings) logger.warn({ code: warning.code }, formatProblem(warning))
}

/** The warning that overrides have no effect on an application that is not under test. */
export function ignoredOverrides({ testOverrides }: AppOptions): readonly Problem[] {
  if (testOverrides === undefined) return []
  return [
    {
      code: 'W_OVERRIDE_IGNORED',
      subject: 'testOverrides',
      cause: 'Only TestApp honours them; this application runs on its own providers.',
      remedy: 'Remove them, or make a TestApp.',
    },
  ]
}
