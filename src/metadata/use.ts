import type { DualClassOrMethodDecorator } from '../contracts/decorator.js'
import type { UseEntry } from '../contracts/interceptor.js'
import { classOrMethod, isStandardContext, refuseBare } from './write.js'

/**
 * Adds Express middlewares and interceptors to all routes of a class, or to one route. The entries on the class run
 * outside the entries on the method.
 *
 * Middlewares run after the guard and the rate limits, and before the body is read. Interceptors wrap the handler.
 *
 * @param entries Express middlewares, lists of middlewares, interceptors, and interceptor classes or tokens.
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
  const [first, second] = entries
  if (isStandardContext(second) || !isEntry(first)) refuseBare('@Use', first, second)
  return classOrMethod('@Use()', { kind: 'use', entries: Object.freeze([...entries]) })
}

/** Whether the first argument is an entry, and not the decorated class or prototype. */
function isEntry(value: unknown): boolean {
  if (typeof value !== 'function') return hasIntercept(value)
  const isClass = /^class\b/.test(Function.prototype.toString.call(value))
  return !isClass || hasIntercept(value.prototype)
}

function hasIntercept(value: unknown): boolean {
  return typeof (value as { intercept?: unknown } | undefined)?.intercept === 'function'
}
