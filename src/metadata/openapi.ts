import type {
  DualClassDecorator,
  DualClassOrMethodDecorator,
  DualMethodDecorator,
} from '../contracts/decorator.js'
import type {
  ApiBodyOptions,
  ApiOperationOptions,
  ApiResponseOptions,
} from '../contracts/operation.js'
import { classOrMethod, decorator, methodOnly, refuseArguments, refuseBare } from './write.js'

/**
 * Groups the operations of a class under tags. Default: the class name without `Controller`.
 *
 * @example
 * @ApiTags('Accounts')
 * @Controller('users')
 * class UsersController {}
 */
export function ApiTags(...tags: readonly string[]): DualClassDecorator {
  refuseBare('@ApiTags', tags[0], tags[1])
  return decorator('@ApiTags()', { class: { kind: 'tags', tags } })
}

/**
 * Describes an operation in the document.
 *
 * @example
 * @ApiOperation({ summary: 'Find a user', deprecated: true })
 * @Get(':id')
 * getById(req: Request) { return users.get(req.params.id) }
 */
export function ApiOperation(options: ApiOperationOptions): DualMethodDecorator
export function ApiOperation(
  options: ApiOperationOptions,
  ...rest: unknown[]
): DualMethodDecorator {
  refuseBare('@ApiOperation', options, rest[0])
  return methodOnly('@ApiOperation()', { kind: 'operation', options })
}

/**
 * Describes the request body in the document in place of `@Body`, which still validates the body. If the schema has a
 * binary property, the media type is `multipart/form-data`.
 *
 * @example
 * @ApiBody({ schema: z.object({ avatar: z.file() }) })
 * @Put('avatar')
 * upload(req: Request) { return { files: req.files } }
 */
export function ApiBody(options: ApiBodyOptions): DualMethodDecorator
export function ApiBody(options: ApiBodyOptions, ...rest: unknown[]): DualMethodDecorator {
  refuseBare('@ApiBody', options, rest[0])
  return methodOnly('@ApiBody()', { kind: 'bodyDoc', options })
}

/**
 * Describes the response for one status. Use one decorator for each status. On a class, it describes the responses of
 * all methods, except for a status that a method describes itself. `schema` describes the `data` in the envelope.
 * Without `schema`, a response with a status of 400 or above has the error format. With `raw: true`, or with a
 * `contentType` other than the envelope's, there is no envelope, and the returned value is sent unchanged.
 *
 * @example
 * @ApiResponseDoc({ status: 200, description: 'The user', schema: User })
 * @ApiResponseDoc({ status: 404 })
 * @Get(':id')
 * getById(req: Request) { return users.get(req.params.id) }
 */
export function ApiResponseDoc(options: ApiResponseOptions): DualClassOrMethodDecorator
export function ApiResponseDoc(
  options: ApiResponseOptions,
  ...rest: unknown[]
): DualClassOrMethodDecorator {
  refuseBare('@ApiResponseDoc', options, rest[0])
  return classOrMethod('@ApiResponseDoc()', { kind: 'responseDoc', options })
}

/**
 * Excludes the routes of a class or a method from the document. The routes still work.
 *
 * @example
 * @ApiHidden() @Get('metrics') metrics() {}
 */
export function ApiHidden(): DualClassOrMethodDecorator
export function ApiHidden(...args: unknown[]): DualClassOrMethodDecorator {
  refuseArguments('@ApiHidden', args)
  return classOrMethod('@ApiHidden()', { kind: 'hidden' })
}

/** An alias of {@link ApiResponseDoc}. @example @ApiResponse({ status: 404 }) @Get(':id') get() {} */
export const ApiResponse: typeof ApiResponseDoc = ApiResponseDoc

/** An alias of {@link ApiHidden}. @example @ApiExclude() @Get('metrics') metrics() {} */
export const ApiExclude: typeof ApiHidden = ApiHidden
