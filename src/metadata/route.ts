import type { DualMethodDecorator } from '../contracts/decorator.js'
import type { HttpMethod } from '../contracts/route-model.js'
import { ConfigError } from '../errors/config-error.js'
import { decorator, refuseBare } from './write.js'

/** What all verb decorators share: a path relative to the controller's, empty by default. */
type VerbDecorator = (path?: string) => DualMethodDecorator

function verb(method: HttpMethod, name: string): VerbDecorator {
  return function declareRoute(path = '', ...rest: unknown[]) {
    refuseBare(name, path, rest[0])
    const fact = { kind: 'route', method, path: pathArgument(name, path) } as const
    return decorator(`${name}()`, { method: fact }) as DualMethodDecorator
  }
}

/**
 * Answers `GET`, and `HEAD` unless a `@Head` route of the same path does.
 *
 * @example
 * @Get(':id')
 * getById(req: Request) { return users.get(req.params.id) }
 */
export const Get: VerbDecorator = verb('GET', '@Get')

/** Answers `POST`. @example @Post() create(req: Request) { return users.add(req.body) } */
export const Post: VerbDecorator = verb('POST', '@Post')

/** Answers `PUT`. @example @Put(':id') replace(req: Request) { return users.set(req.params.id, req.body) } */
export const Put: VerbDecorator = verb('PUT', '@Put')

/** Answers `PATCH`. @example @Patch(':id') update(req: Request) { return users.patch(req.params.id, req.body) } */
export const Patch: VerbDecorator = verb('PATCH', '@Patch')

/** Answers `DELETE`. @example @Delete(':id') remove(req: Request) { users.remove(req.params.id) } */
export const Delete: VerbDecorator = verb('DELETE', '@Delete')

/** Answers `HEAD` in place of the automatic one. @example @Head(':id') exists(req: Request, res: Response) { res.end() } */
export const Head: VerbDecorator = verb('HEAD', '@Head')

/** Answers `OPTIONS` in place of the automatic one. @example @Options() options(req: Request, res: Response) { res.end() } */
export const Options: VerbDecorator = verb('OPTIONS', '@Options')

/**
 * Answers `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD` and `OPTIONS` where no other route of the
 * same path does. Other methods stay 405.
 *
 * @example
 * @All('echo')
 * echo(req: Request) { return { method: req.method } }
 */
export const All: VerbDecorator = verb('ALL', '@All')

/** Catches what plain JavaScript may pass. */
export function pathArgument(name: string, path: unknown): string {
  if (typeof path === 'string') return path
  throw new ConfigError([
    {
      code: 'E_DECORATOR_TARGET',
      subject: name,
      cause: `${name} was given ${String(path)} instead of a path.`,
      remedy: 'Give it a string or nothing.',
    },
  ])
}
