/**
 * JSON Web Tokens as credentials: a guard that verifies them, for issuers with public keys and for secrets.
 *
 * @module blazon/jwt
 */
export { type JwtGuard, jwt } from './jwt.js'
export { type JwtMetadataOptions, jwtMetadata } from './jwt-metadata.js'
export type {
  JwtAlgorithm,
  JwtClaims,
  JwtFetch,
  JwtIdentity,
  JwtJwk,
  JwtKey,
  JwtKeys,
  JwtOptions,
  JwtPem,
  JwtSecret,
  JwtUser,
} from './jwt-options.js'
export { signTestToken, type TestTokenOptions } from './sign-test-token.js'
