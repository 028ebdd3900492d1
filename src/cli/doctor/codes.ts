import type { ProductionCode } from '../../app/doctor/production-options.js'

/**
 * A code that only `blazon doctor` reports: `E_` does not work, `W_` should be looked at. The doctor also reports the codes
 * of boot and of the database. `docs/doctor.md` explains each.
 */
export type DoctorCode =
  | ProductionCode
  | 'E_APP_FAILED'
  | 'E_DECORATORS_DIALECT'
  | 'E_DECORATORS_DIFFER'
  | 'E_DECORATORS_KEPT'
  | 'E_NODE_VERSION'
  | 'E_PACKAGE_INSTANCES'
  | 'E_PACKAGE_TWICE'
  | 'E_TSCONFIG_INVALID'
  | 'E_TSCONFIG_RESOLUTION'
  | 'E_TSCONFIG_TARGET'
  | 'W_FIELDS_DIFFER'
  | 'W_METADATA_UNUSED'
  | 'W_NAMES_MINIFIED'
  | 'W_NODE_ENGINES'
  | 'W_PEER_OLD'
  | 'W_TSCONFIG_STRICT'
