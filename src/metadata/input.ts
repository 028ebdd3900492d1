import type { InputDecorator, LegacyParameterDecorator } from '../contracts/decorator.js'
import type { Fact } from '../contracts/facts.js'
import type { Request } from '../contracts/handler.js'
import type { InferOutput, InputSource, Schema } from '../contracts/schema.js'
import { decorator, refuseBare } from './write.js'

// biome-ignore-start lint/suspicious/noExplicitAny: the parts that a decorator does not describe stay as they are

/**
 * Validates the JSON body; the validated value replaces `req.body`. A missing body is validated as `undefined`. A
 * body of another type is refused with 415, one over the limit with 413, and one that the schema rejects with 400.
 *
 * On a handler parameter (legacy dialect) it also passes the value to the parameter, and the schema may be left out.
 *
 * @param schema A Standard Schema or a JSON Schema object.
 * @example
 * @Post()
 * @Body(z.object({ name: z.string().min(1) }))
 * create(req: Request, res: Response) { return this.ok(res, 'User created', req.body, 201) }
 */
export function Body<S extends Schema>(
  schema: S,
): InputDecorator<Request<any, InferOutput<S>>, InferOutput<S>>
export function Body(): LegacyParameterDecorator
export function Body(...args: unknown[]): unknown {
  return input('body', '@Body', args)
}

/**
 * Validates the path parameters; the validated value replaces `req.params`.
 *
 * @example
 * @Get(':id')
 * @Params(z.object({ id: z.coerce.number().int() }))
 * getById(req: Request) { return users.get(req.params.id) }
 */
export function Params<S extends Schema>(
  schema: S,
): InputDecorator<Request<InferOutput<S>>, InferOutput<S>>
export function Params(): LegacyParameterDecorator
export function Params(...args: unknown[]): unknown {
  return input('params', '@Params', args)
}

/**
 * Validates the query string; the validated value replaces `req.query`.
 *
 * @example
 * @Get()
 * @Query(z.object({ page: z.coerce.number().default(1) }))
 * list(req: Request) { return users.page(req.query.page) }
 */
export function Query<S extends Schema>(
  schema: S,
): InputDecorator<Request<any, any, InferOutput<S>>, InferOutput<S>>
export function Query(): LegacyParameterDecorator
export function Query(...args: unknown[]): unknown {
  return input('query', '@Query', args)
}

/**
 * Validates request headers, whose names are in lower case. The validated value is in `req.validated.headers`;
 * `req.headers` keeps the headers that the client sent.
 *
 * @example
 * @Get()
 * @Headers(z.object({ 'x-trace': z.string().optional() }))
 * list(req: Req<{ headers: typeof Trace }>) { return users.all(req.validated.headers['x-trace']) }
 */
export function Headers<S extends Schema>(
  schema: S,
): InputDecorator<Request<any, any, any, InferOutput<S>>, InferOutput<S>>
export function Headers(): LegacyParameterDecorator
export function Headers(...args: unknown[]): unknown {
  return input('headers', '@Headers', args)
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above

function input(source: InputSource, name: string, args: readonly unknown[]): unknown {
  // A single function may be a class in place of a schema. The checks at boot explain that mistake.
  if (typeof args[0] !== 'function' || args[1] !== undefined) refuseBare(name, args[0], args[1])
  const schema = args[0] as Schema | undefined
  // A method decorator without a schema reaches the checks as a decorator with a wrong schema.
  const described: Fact = { kind: 'input', source, schema: schema as Schema }
  return decorator(`${name}()`, {
    method: described,
    parameter: (index) => {
      const passed: Fact = { kind: 'parameter', index, source }
      return schema === undefined ? [passed] : [described, passed]
    },
  })
}
