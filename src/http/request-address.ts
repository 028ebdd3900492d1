import type { Application } from 'express'
import type { Request } from '../contracts/handler.js'
import { expressRequest } from './express-parts.js'

const TRUST = 'trust proxy fn'

/**
 * Defines `ip`. Express parses all forwarding headers at each access, also if no proxy is trusted and the address is
 * always the socket's address. Access logs read it for every request.
 */
export function defineAddress(prototype: Request, app: Application): void {
  const inherited = Object.getOwnPropertyDescriptor(expressRequest, 'ip')?.get
  const trustNobody: unknown = app.get('trust proxy') === false ? app.get(TRUST) : undefined
  Object.defineProperty(prototype, 'ip', {
    configurable: true,
    enumerable: true,
    get(this: Request) {
      // An application that is mounted in ours, or in which ours is mounted, may trust other proxies. And the setting
      // may have changed.
      const trustsNobody = this.app === app && this.app.get(TRUST) === trustNobody
      return trustsNobody && this.socket ? this.socket.remoteAddress : inherited?.call(this)
    },
  })
}
