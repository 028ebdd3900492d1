/** How the guards let a request in. */
export interface Admission {
  /** The name of the guard that has decided `req.user`; `undefined` for `auth.guard`, which has no name. */
  readonly scheme: string | undefined
  /** The name of the guard that has noted the id of a key; ids are unique for their guard only. */
  readonly keyScheme: string | undefined
  /** The tenants that the credentials belong to, of each guard with `tenantOf`; `undefined` for one that belongs to none. */
  readonly tenants: readonly (string | undefined)[]
}
