import type { OpenApiSecurityScheme } from '../contracts/openapi.js'

/** The security scheme of the guard, under the name `BearerAuth`. */
export const GUARD_SCHEME: OpenApiSecurityScheme = Object.freeze({ type: 'http', scheme: 'bearer' })
