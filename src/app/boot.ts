import type { AuthGuard } from '../contracts/guard.js'
import type { Plugin } from '../contracts/plugin.js'
import type { Class, Token } from '../contracts/provider.js'
import { type BoundContainer, bindScopes, makeAll } from '../di/build-container.js'
import { originOf, toProblem } from '../di/chain.js'
import type { Injector } from '../di/injector.js'
import { unusedOverrides } from '../di/unused-overrides.js'
import { ConfigError } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { readInjections } from '../metadata/read.js'
import { attachOk } from './base-controller.js'
import { buildPipeline, type Pipeline, type PipelineInput } from './build-pipeline.js'
import { logWarnings, throwErrors } from './describe.js'
import type { Features, RunningFeatures } from './features.js'
import { LifecycleHooks } from './lifecycle.js'

/** Everything of an application that exists once it runs. */
export interface RunningApp extends Pipeline {
  readonly injector: Injector
  readonly hooks: LifecycleHooks
}

/** What boot is given. */
export interface BootConfig
  extends Omit<PipelineInput, 'controllers' | 'guard' | 'features' | 'get'> {
  readonly features: Features
}

/** Makes an application out of its description. When a step fails, what has started is closed again. */
export async function boot(config: BootConfig): Promise<RunningApp> {
  const { settings, description, express, logger, harness } = config
  const container = bindScopes(description.scopes, readInjections, harness?.overrides ?? [])
  const injector = container.root
  const begun: Plugin[] = []
  let features: RunningFeatures | undefined
  // Providers may still use what features keep while they close, so those come last.
  const last = { onClose: () => features?.close() }
  const hooks = new LifecycleHooks(() => [last, ...injector.made, ...begun])
  try {
    const controllers = await makeControllers(container)
    const own = await resolveGuard(settings.auth.guard, injector)
    const guard = harness?.wrapGuard(own) ?? own
    features = await config.features.start({ model: description.model, logger })
    const get = <T>(token: Token<T>) => injector.resolve(token)
    const pipeline = await buildPipeline({ ...config, controllers, guard, features, get })
    for (const plugin of settings.plugins) {
      begun.push(plugin)
      const { usesTenants } = features
      await plugin.setup?.({ get, express, logger, model: description.model, usesTenants })
    }
    // Whoever asks has asked by now.
    const unused = unusedOverrides(harness?.overrides ?? [], injector.asked)
    logWarnings(logger, throwErrors(unused, settings))
    await hooks.init()
    await hooks.ready()
    return { injector, hooks, ...pipeline }
  } catch (error) {
    await hooks
      .close()
      .catch((failure) => logger.error({ err: failure }, 'Closing after a failed start'))
    throw error
  }
}

async function makeControllers(container: BoundContainer): Promise<ReadonlyMap<unknown, object>> {
  const { instances, problems, errors } = await makeAll(container)
  if (problems.length > 0) {
    const cause = errors.length === 1 ? errors[0] : new AggregateError(errors)
    throw new ConfigError(problems, { cause })
  }
  for (const instance of instances.values()) attachOk(instance as object)
  return instances as ReadonlyMap<unknown, object>
}

/** An instance is the guard; anything else names one. */
async function resolveGuard(
  guard: AuthGuard | Token<AuthGuard> | null,
  injector: Injector,
): Promise<AuthGuard | null> {
  if (guard === null) return null
  if (isGuard(guard)) return guard
  const resolved = await makeGuard(guard as Token<AuthGuard>, injector)
  if (isGuard(resolved)) return resolved
  throw new ConfigError([
    invalid(
      'auth.guard',
      'The value that its token provides has no method canActivate.',
      'Provide an object with canActivate(req) under that token.',
    ),
  ])
}

/** A guard that is named by its class need not be listed as a provider. */
async function makeGuard(token: Token<AuthGuard>, injector: Injector): Promise<AuthGuard> {
  if (typeof token === 'function') injector.bindOwn(token as Class<AuthGuard>)
  try {
    return await injector.getAsync(token)
  } catch (error) {
    throw new ConfigError([toProblem(error)], { cause: originOf(error) })
  }
}

function isGuard(value: unknown): value is AuthGuard {
  return typeof (value as { canActivate?: unknown } | null)?.canActivate === 'function'
}
