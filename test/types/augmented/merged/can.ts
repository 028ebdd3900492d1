// A package that declares `can` for the request of Express keeps its type.
import type { Request } from 'blazon'

declare global {
  namespace Express {
    interface Request {
      can?: (action: number) => string
    }
  }
}

export function ask(req: Request): string | undefined {
  // @ts-expect-error: the declared function takes a number
  req.can?.('order:read')
  return req.can?.(1)
}
