import type { CorsOptions } from 'cors'
import type { HelmetOptions } from 'helmet'
import { invalid, type Problem } from '../../errors/config-error.js'
import {
  type OptionGroup,
  type OptionNames,
  unknownNames,
  unknownOptions,
} from '../../errors/option-group.js'

/** The `security` option. */
export interface SecurityOptions {
  /**
   * Sets protective response headers with `helmet`: a boolean, or helmet's options. The options are merged with a
   * policy for APIs, which forbids responses to load anything or to be embedded: `default-src 'none'; frame-ancestors
   * 'none'`.
   *
   * @defaultValue `true`
   */
  readonly helmet?: boolean | HelmetOptions
  /**
   * Allows cross-origin requests with `cors`: a boolean, or the `cors` options, which are read at boot. With `true`,
   * every origin can read responses to requests without credentials. If `origin` is a function, it can either call its
   * callback or return a promise for its decision. An unknown option name causes an error, because a misspelt `origin`
   * would allow every origin.
   *
   * @defaultValue `false`
   */
  readonly cors?: boolean | CorsOptions
}

/** The `security` option, resolved. */
export interface SecuritySettings {
  /** `null` for no security headers. */
  readonly helmet: HelmetOptions | null
  /** `null` for no cross-origin access. */
  readonly cors: CorsOptions | null
}

type Option = SecurityOptions | undefined

const CORS_NAMES: OptionNames<CorsOptions> = {
  origin: true,
  methods: true,
  allowedHeaders: true,
  exposedHeaders: true,
  credentials: true,
  maxAge: true,
  preflightContinue: true,
  optionsSuccessStatus: true,
}

/** The names include older names that helmet still accepts. */
const HELMET_NAMES = {
  contentSecurityPolicy: true,
  crossOriginEmbedderPolicy: true,
  crossOriginOpenerPolicy: true,
  crossOriginResourcePolicy: true,
  originAgentCluster: true,
  referrerPolicy: true,
  strictTransportSecurity: true,
  hsts: true,
  xContentTypeOptions: true,
  noSniff: true,
  xDnsPrefetchControl: true,
  dnsPrefetchControl: true,
  xDownloadOptions: true,
  ieNoOpen: true,
  xFrameOptions: true,
  frameguard: true,
  xPermittedCrossDomainPolicies: true,
  permittedCrossDomainPolicies: true,
  xPoweredBy: true,
  hidePoweredBy: true,
  xXssProtection: true,
  xssFilter: true,
} satisfies Record<keyof HelmetOptions, true>

const NAMES: OptionNames<SecurityOptions> = { helmet: HELMET_NAMES, cors: true }

/** An API does not serve pages, so this policy forbids responses to load anything, and forbids pages to frame them. */
const API_POLICY: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
}

/** The `security` option. */
export const securityGroup: OptionGroup<Option, SecuritySettings> = {
  unknown: (security) => [
    ...unknownNames('security.', security, NAMES),
    ...unknownOptions('security.cors.', security?.cors, CORS_NAMES),
  ],
  check,
  resolve(security) {
    const { helmet, cors } = security ?? {}
    return Object.freeze({
      helmet: helmetOptions(helmet ?? true),
      cors: corsOptions(cors ?? false),
    })
  },
}

function helmetOptions(helmet: boolean | HelmetOptions): HelmetOptions | null {
  if (helmet === false) return null
  // The values are typed as objects, because TypeScript took 25 s to check the spread of `HelmetOptions`, which is a
  // union.
  return helmet === true ? API_POLICY : { ...(API_POLICY as object), ...(helmet as object) }
}

function corsOptions(cors: boolean | CorsOptions): CorsOptions | null {
  if (cors === false) return null
  return cors === true ? {} : cors
}

function check(security: Option): Problem[] {
  const cors = security?.cors
  if (typeof cors !== 'object' || !cors?.credentials || !isAnyOrigin(cors.origin)) return []
  const cause = '`credentials: true` for every origin allows any site to act as the signed-in user.'
  return [invalid('security.cors', cause, 'List the origins you trust in `security.cors.origin`.')]
}

function isAnyOrigin(origin: CorsOptions['origin']): boolean {
  return origin === undefined || origin === '*' || origin === true
}
