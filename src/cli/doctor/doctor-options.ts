import type { LoadOptions } from '../load/load-app.js'

/** Options of `doctor`. */
export interface DoctorOptions extends LoadOptions {
  readonly json?: boolean
  /** Whether warnings fail, too. */
  readonly strict?: boolean
  /** The database to examine. Default: `DATABASE_URL`. */
  readonly url?: string
  readonly tenantRole?: string
  readonly allTenantsRole?: string
}
