import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import type { UseEntry } from '../contracts/interceptor.js'
import { decorator, refuseBare } from './write.js'

/**
 * Adds Express middlewares and interceptors to all routes of a class, or to one route. Those of the class run outside
 * those of the method.
 *
 * Middlewares run after the guard and the rate limits, and before the body is read. Interceptors wrap the handler.
 *
 * @param entries Express middlewares, lists of them, interceptors, and classes or tokens of interceptors.
 * @example
 * @Auth()
 * @Use(Timing)
 * @Controller('files')
 * class FilesController {
 *   @Use(multer({ dest: 'uploads' }).single('file'))
 *   @Post()
 *   upload(req: Request) { return { name: req.file?.originalname } }
 * }
 */
export function Use(...entries: readonly UseEntry[]): DualClassOrMethodDecorator {
  // A class with `intercept` is an entry. Any other class is one that the decorator would replace.
  if (!isInterceptorClass(entries[0])) refuseBare('@Use', entries[0], entries[1])
  const fact = { kind: 'use', entries: Object.freeze([...entries]) } as const
  return decorator('@Use()', { class: fact, method: fact }) as DualClassOrMethodDecorator
}

function isInterceptorClass(value: unknown): boolean {
  return typeof value === 'function' && typeof value.prototype?.intercept === 'function'
}
