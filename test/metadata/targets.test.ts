import {
  ApiBody,
  ApiHidden,
  ApiOperation,
  ApiResponseDoc,
  ApiTags,
  Auth,
  Body,
  Cache,
  Can,
  Checks,
  ConfigError,
  Controller,
  Cookies,
  CurrentUser,
  Deprecated,
  Envelope,
  Get,
  Header,
  Headers,
  HttpCode,
  Idempotent,
  Inject,
  Injectable,
  JsonLines,
  Limits,
  Paged,
  Params,
  Produces,
  Public,
  Queries,
  Query,
  RateLimit,
  Redirect,
  Req,
  Res,
  ResponseFields,
  Sse,
  Tenant,
  TenantId,
  Upload,
  Use,
  Version,
  Versioned,
  Webhook,
} from 'blazon'
import type { Problem } from 'blazon/plugin'
import { describe, expect, it } from 'vitest'

// Called as a compiler would call them, because TypeScript refuses to compile these mistakes.
type Decorator = (...args: unknown[]) => unknown
const call = (decorator: unknown, ...args: unknown[]) => (decorator as Decorator)(...args)
const standard = (kind: string, name = 'member') => ({ kind, name, static: false, private: false })

function problemOf(action: () => unknown): Problem {
  try {
    action()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems[0] as Problem
  }
  throw new Error('no ConfigError was thrown')
}

class Target {}

describe('a decorator on the wrong target', () => {
  it.each([
    ['@Get on a class, standard', () => call(Get(), Target, standard('class', 'Target'))],
    ['@Get on a class, legacy', () => call(Get(), Target)],
    ['@Get on a field, standard', () => call(Get(), undefined, standard('field'))],
    ['@Get on a field, legacy', () => call(Get(), Target.prototype, 'member', undefined)],
    ['@Get on a getter, standard', () => call(Get(), () => 1, standard('getter'))],
    ['@Get on a getter, legacy', () => call(Get(), Target.prototype, 'member', { get: () => 1 })],
    ['@Get on a static method, legacy', () => call(Get(), Target, 'member', { value: () => 1 })],
    [
      '@Get on a static method, standard',
      () => call(Get(), () => 1, { ...standard('method'), static: true }),
    ],
    [
      '@Get on a private method, standard',
      () => call(Get(), () => 1, { ...standard('method', '#member'), private: true }),
    ],
    ['@Get on a parameter', () => call(Get(), Target.prototype, 'member', 0)],
    ['@Controller on a method, standard', () => call(Controller(), () => 1, standard('method'))],
    [
      '@Controller on a method, legacy',
      () => call(Controller(), Target.prototype, 'member', { value: () => 1 }),
    ],
    ['@Body on a class', () => call(Body({ type: 'object' }), Target)],
    [
      '@Body on a constructor parameter',
      () => call(Body({ type: 'object' }), Target, undefined, 0),
    ],
    [
      '@Auth on a static field',
      () => call(Auth(), undefined, { ...standard('field'), static: true }),
    ],
    [
      '@Auth on a private field',
      () => call(Auth(), undefined, { ...standard('field', '#member'), private: true }),
    ],
    ['@Auth on an accessor', () => call(Auth(), {}, standard('accessor'))],
    ['@Body on a field', () => call(Body({ type: 'object' }), undefined, standard('field'))],
    [
      '@Query on a field, legacy',
      () => call(Query({ type: 'object' }), Target.prototype, 'member', undefined),
    ],
    ['@HttpCode on a class', () => call(HttpCode(201), Target, standard('class'))],
    ['@Injectable on a method', () => call(Injectable(), () => 1, standard('method'))],
    ['@Inject on a method, standard', () => call(Inject('x'), () => 1, standard('method'))],
    [
      '@Inject on a method, legacy',
      () => call(Inject('x'), Target.prototype, 'member', { value: () => 1 }),
    ],
    [
      '@Inject on a static field, standard',
      () => call(Inject('x'), undefined, { ...standard('field'), static: true }),
    ],
    ['@Inject on a static field, legacy', () => call(Inject('x'), Target, 'member', undefined)],
    ['@Inject on a class', () => call(Inject('x'), Target)],
    ['@Req on a method', () => call(Req(), Target.prototype, 'member', { value: () => 1 })],
  ])('throws a ConfigError that names a correct target: %s', (_, apply) => {
    const { code, cause, remedy } = problemOf(apply)
    expect(code).toBe('E_DECORATOR_TARGET')
    expect(cause).toMatch(/^@\w+\(\) is on .*(Target|member|class|parameter)/)
    expect(remedy).toMatch(/^Put it on a (class|method|parameter|field)/)
  })

  it('is reported with its class and method if the dialect provides them', () => {
    const { subject } = problemOf(() =>
      call(Controller(), Target.prototype, 'list', { value() {} }),
    )
    expect(subject).toBe('Target.list')
  })
})

describe('a decorator without parentheses', () => {
  const factories = {
    '@ApiBody': ApiBody,
    '@ApiHidden': ApiHidden,
    '@ApiOperation': ApiOperation,
    '@ApiResponseDoc': ApiResponseDoc,
    '@ApiTags': ApiTags,
    '@Auth': Auth,
    '@Body': Body,
    '@Cache': Cache,
    '@Can': Can,
    '@Checks': Checks,
    '@RateLimit': RateLimit,
    '@Controller': Controller,
    '@Cookies': Cookies,
    '@CurrentUser': CurrentUser,
    '@Deprecated': Deprecated,
    '@Envelope': Envelope,
    '@Get': Get,
    '@Header': Header,
    '@Headers': Headers,
    '@HttpCode': HttpCode,
    '@Idempotent': Idempotent,
    '@Injectable': Injectable,
    '@JsonLines': JsonLines,
    '@Limits': Limits,
    '@Paged': Paged,
    '@Params': Params,
    '@Produces': Produces,
    '@Public': Public,
    '@Queries': Queries,
    '@Query': Query,
    '@Redirect': Redirect,
    '@Req': Req,
    '@Res': Res,
    '@ResponseFields': ResponseFields,
    '@Sse': Sse,
    '@Tenant': Tenant,
    '@TenantId': TenantId,
    '@Upload': Upload,
    '@Use': Use,
    '@Version': Version,
    '@Versioned': Versioned,
    '@Webhook': Webhook,
  }

  const INPUTS = ['@Body', '@Cookies', '@Headers', '@Params', '@Query']

  it.each(Object.entries(factories))(
    'throws a ConfigError on every target: %s',
    (name, factory) => {
      const places = [
        () => call(factory, function list() {}, standard('method', 'list')),
        () => call(factory, undefined, standard('field', 'list')),
        () => call(factory, Target, standard('class', 'Target')),
        ...(INPUTS.includes(name) ? [] : [() => call(factory, Target)]),
        () => call(factory, Target.prototype, 'list', { value() {} }),
        () => call(factory, Target.prototype, 'list', undefined),
        () => call(factory, Target.prototype, 'list', 0),
      ]
      for (const apply of places) {
        const { code, subject, cause, remedy } = problemOf(apply)
        expect(code).toBe('E_DECORATOR_TARGET')
        expect(subject).toMatch(/list|Target/)
        expect(cause).toContain(name)
        expect(remedy).toContain(`${name}()`)
      }
    },
  )

  // Their argument may be a class in place of a schema, which boot reports with another error.
  it.each(INPUTS)('causes a ConfigError in the next decorator if it is on a class: %s', (name) => {
    const replaced = call(factories[name as keyof typeof factories], Target)
    const { code, subject } = problemOf(() => Controller()(replaced as never))
    expect([code, subject]).toEqual(['E_DECORATOR_TARGET', name])
  })

  it('throws a ConfigError if it is @Inject, although the call Inject(Class) is valid', () => {
    expect(() => Inject(Target)).not.toThrow()
    expect(problemOf(() => call(Inject, undefined, standard('field'))).cause).toContain('@Inject')
    expect(problemOf(() => call(Inject, Target.prototype, 'member', undefined)).code).toBe(
      'E_DECORATOR_TARGET',
    )
    expect(problemOf(() => call(Inject, Target, undefined, 0)).code).toBe('E_DECORATOR_TARGET')
  })
})
