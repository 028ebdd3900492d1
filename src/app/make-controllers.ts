import type { Token } from '../contracts/provider.js'
import { type BoundContainer, makeAll } from '../di/build-container.js'
import { ConfigError } from '../errors/config-error.js'
import { attachOk } from './base-controller.js'

/**
 * Creates every provider and controller.
 *
 * @param tokens Other tokens to create: see {@link namedTokens}.
 * @returns the controllers, by their classes.
 * @throws ConfigError with everything that could not be created.
 */
export async function makeControllers(
  container: BoundContainer,
  tokens: readonly Token[],
): Promise<ReadonlyMap<unknown, object>> {
  const { instances, problems, errors } = await makeAll(container, tokens)
  if (problems.length > 0) {
    if (errors.length === 0) throw new ConfigError(problems)
    throw new ConfigError(problems, {
      cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
    })
  }
  for (const instance of instances.values()) attachOk(instance as object)
  return instances as ReadonlyMap<unknown, object>
}
