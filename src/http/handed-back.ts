import type { BlazonRequest } from './request.js'

type PassError = (error: unknown) => void

/**
 * Requests that an application has handed back to the one that it is mounted in, and who takes their errors from then on. One list
 * for each application: whoever mounts several, or one in another, has others that a request still belongs to.
 */
export class HandedBack {
  readonly #owners = new WeakMap<BlazonRequest, PassError>()

  add(req: BlazonRequest, passError: PassError): void {
    this.#owners.set(req, passError)
  }

  /** Of one that has come again. */
  remove(req: BlazonRequest): void {
    this.#owners.delete(req)
  }

  /** Takes the errors of a request that is somebody else's by now; `undefined` where it is ours. */
  ownerOf(req: BlazonRequest): PassError | undefined {
    return this.#owners.get(req)
  }
}
