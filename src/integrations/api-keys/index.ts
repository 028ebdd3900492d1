/**
 * API keys: a guard for clients that are programs, and functions that create keys.
 *
 * @module blazon/keys
 */
export { type ApiKeyGuard, apiKeys } from './api-keys.js'
export type { ApiKeyRecord, ApiKeysOptions, ApiKeyUser } from './api-keys-options.js'
export {
  type GenerateApiKeyOptions,
  type GeneratedApiKey,
  generateApiKey,
  hashApiKey,
} from './key-format.js'
