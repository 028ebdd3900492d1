import type { StepName } from '../../index.js'

/**
 * The names of the spans of steps, for steps that run code of the application, or wait for a store or a client. All others
 * are fast, and their time belongs to the request itself.
 */
export const STEP_SPANS: Readonly<Partial<Record<StepName, string>>> = {
  admission: 'limit',
  guard: 'guard',
  tenant: 'tenant',
  membership: 'tenant',
  can: 'can',
  quota: 'limit',
  use: 'middleware',
  cache: 'cache',
  body: 'body',
  cookies: 'validation',
  validate: 'validation',
  parameters: 'validation',
  handler: 'handler',
}
