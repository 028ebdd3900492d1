/**
 * JSON Web Tokens as credentials: a guard that verifies them, with the public keys of an issuer or with secrets.
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
