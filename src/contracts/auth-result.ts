/** How the guards let a request in. */
export interface AuthResult {
  /** The name of the guard that has decided `req.user`; `undefined` for `auth.guard`, which has no name. */
  readonly scheme: string | undefined
  /** The name of the guard that has noted the id of a key; ids are unique for their guard only. */
  readonly keyScheme: string | undefined
  /**
   * The tenants of the credentials, one for each guard with `tenantOf`; `undefined` for a credential without a tenant.
   */
  readonly tenants: readonly (string | undefined)[]
}
