import { bindScopes, makeAll } from '../di/build-container.js'
import type { Scope } from '../di/modules.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import { readInjections } from '../metadata/read.js'
import type { DeclaredApp, SoundPart } from './declared-app.js'
import type { Harness } from './harness.js'
import { LifecycleHooks } from './lifecycle.js'
import { namedTokens } from './make-interceptors.js'

/** Adds missing providers to the other errors of a start. */
export async function addMissing(
  error: unknown,
  declared: DeclaredApp,
  harness: Harness,
): Promise<unknown> {
  if (!(error instanceof ConfigError)) return error
  const part = declared.soundPart(error.problems)
  const missing = part === undefined ? [] : await findMissing(part, harness)
  if (missing.length === 0) return error
  const { cause, problems } = error
  return new ConfigError([...problems, ...missing], cause === undefined ? {} : { cause })
}

/**
 * Finds the tokens without a provider in an application that cannot start for another reason. The tokens that
 * `inject()` requests can be found only by running constructors, so classes are constructed and then closed. Factories
 * are not called, because they could open connections.
 */
async function findMissing(
  { scopes, model, settings }: SoundPart,
  { overrides, clock }: Pick<Harness, 'overrides' | 'clock'>,
): Promise<readonly Problem[]> {
  const container = bindScopes(scopes.map(withoutFactories), readInjections, overrides)
  const { problems } = await makeAll(container, namedTokens(model, settings))
  const limit = { clock, ms: settings.timeouts.onCloseMs }
  const hooks = new LifecycleHooks(() => container.root.made, limit)
  // An error here is irrelevant, because no instance has been started.
  await hooks.close().catch(() => {})
  // These problems are omitted: a class that needs the value of a factory fails only because factories are not called
  // here.
  return problems.filter(({ code }) => code !== 'E_PROVIDER_FAILED')
}

/** Returns the same scope, but with factories that fail as soon as their dependencies have been injected. */
function withoutFactories(scope: Scope): Scope {
  return { ...scope, bindings: scope.bindings.map(withoutFactory) }
}

function withoutFactory(binding: Scope['bindings'][number]): Scope['bindings'][number] {
  const { make } = binding
  return make.kind === 'factory' ? { ...binding, make: { ...make, create: notCalled } } : binding
}

function notCalled(): never {
  throw new Error('The factory was not called.')
}
