import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Class } from '../contracts/provider.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { checkBounds, checkUnusedBounds } from './bounds.js'
import { checkBodies } from './check-bodies.js'
import { checkOptions, checkParameters, checkRepeated } from './check-decorators.js'
import { checkDocumentation } from './check-documentation.js'
import { checkEnvelopes } from './check-envelope.js'
import { checkInputs } from './check-inputs.js'
import { checkResponseFields } from './check-response-fields.js'
import { checkRouteOptions } from './check-route-options.js'
import { checkStream } from './check-stream.js'
import { checkUpload } from './check-upload.js'
import { checkDefined } from './compile-defined.js'
import { checkProducedTypes, checkProduces } from './compile-produces.js'
import { type FactsByKind, factsOf, firstOf } from './facts-by-kind.js'
import type { InheritedController } from './inherit.js'
import { checkUses } from './uses.js'
import { checkVersions } from './versions.js'
import { checkWebhook } from './webhooks.js'

/** Matches the value of `Vary` (RFC 9110, 12.5.5). */
const FIELD_NAMES = /^(?:\*|[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*)$/

/** Checks a class in `controllers` as a whole. */
export function checkController(controller: Class, inherited: InheritedController): Problem[] {
  const subject = controller.name || 'an anonymous class'
  const hasRoutes = [...inherited.methods.values()].some((facts) => facts.route !== undefined)
  if (firstOf(inherited.facts, 'controller') === undefined) {
    return [inherited.methods.size > 0 ? undecorated(subject) : neverDecorated(subject)]
  }
  return [...(hasRoutes ? [] : [empty(subject)]), ...checkResponseFields(subject, inherited.facts)]
}

function undecorated(subject: string): Problem {
  return {
    code: 'E_CONTROLLER_UNDECORATED',
    subject,
    cause:
      'It is listed in `controllers` and has decorated methods or field routes, but no @Controller().',
    remedy: "Decorate the class with @Controller('prefix'), or remove it from `controllers`.",
  }
}

function neverDecorated(subject: string): Problem {
  return {
    code: 'E_DECORATORS_NOT_APPLIED',
    subject,
    cause:
      'It is listed in `controllers`, but neither @Controller() nor a decorator of its methods was called.',
    remedy:
      'If it has such decorators, the bundler dropped them: compile them with tsc, esbuild, swc, tsx, or blazon() from blazon/vite in Vite and Vitest. Otherwise decorate it with @Controller().',
  }
}

function empty(subject: string): Problem {
  return {
    code: 'W_CONTROLLER_EMPTY',
    subject,
    cause: 'It has no routes.',
    remedy:
      'Decorate a method with @Get(), @Post(), …, or write a field with get(), post(), …; if a method is already decorated, make sure that the bundler keeps method decorators.',
  }
}

/** Checks the decorators of one method, except for its path and the access to it. */
export function checkMethod(controller: Class, key: PropertyKey, facts: FactsByKind): Problem[] {
  const subject = `${controller.name}.${String(key)}`
  const problems = [...checkVerb(subject, facts), ...checkRepeated(subject, facts)]
  if (facts.parameter) problems.push(...checkParameters(subject, facts))
  const ofOptions = checkRouteOptions(subject, facts)
  problems.push(...ofOptions)
  // If the options of a route are invalid, its inputs are not checked, because the same error would be reported again
  // for each input.
  if (facts.input && ofOptions.length === 0) problems.push(...checkInputs(subject, facts))
  if (facts.webhook) problems.push(...checkWebhook(subject, facts))
  if (facts.upload) problems.push(...checkUpload(subject, facts))
  if (facts.body) problems.push(...checkBodies(subject, facts))
  if (facts.status ?? facts.redirect ?? facts.header)
    problems.push(...checkResponse(subject, facts))
  if (facts.limits) {
    problems.push(...checkBounds(subject, facts), ...checkUnusedBounds(subject, facts))
  }
  if (facts.version) problems.push(...checkVersions(subject, facts))
  if (facts.operation ?? facts.bodyDoc ?? facts.responseDoc) {
    problems.push(...checkDocumentation(subject, facts))
  }
  if (facts.produces) {
    problems.push(...checkProduces(subject, facts), ...checkProducedTypes(subject, facts))
  }
  if (facts.envelope) problems.push(...checkEnvelopes(subject, facts))
  if (facts.defined) problems.push(...checkDefined(subject, facts))
  if (facts.option) problems.push(...checkOptions(subject, facts))
  if (facts.use) problems.push(...checkUses(subject, facts))
  if (facts.responseFields) problems.push(...checkResponseFields(subject, facts))
  if (facts.stream) problems.push(...checkStream(subject, facts))
  if (facts.route) problems.push(...checkHandler({ subject, controller, key, facts }))
  return problems
}

function checkVerb(subject: string, facts: FactsByKind): Problem[] {
  if (firstOf(facts, 'route') !== undefined || isFoundByPlugins(facts)) return []
  return [
    {
      code: 'E_DECORATOR_ORPHAN',
      subject,
      cause: 'It is decorated, but not as a route, so its decorators have no effect.',
      remedy:
        'Add @Get(), @QueryMethod(), @Post(), @Put(), @Patch(), @Delete(), @Head(), @Options() or @All() to a method. Or assign the result of get(), post(), … to a field; a minifier must not rename these functions.',
    },
  ]
}

/** Whether a class or method has only plugin options that are also allowed outside controllers (`anywhere`). */
export function isFoundByPlugins(facts: FactsByKind): boolean {
  const { option = [], ...others } = facts
  return Object.keys(others).length === 0 && option.every(({ isAnywhere }) => isAnywhere)
}

function checkResponse(subject: string, facts: FactsByKind): Problem[] {
  const problems: Problem[] = []
  const refuse = (cause: string, remedy: string) => problems.push(invalid(subject, cause, remedy))
  for (const { status } of factsOf(facts, 'status')) {
    if (!(Number.isInteger(status) && status >= 200 && status <= 399)) {
      refuse(
        `@HttpCode(${shown(status)}) is not a success status.`,
        'Use 200 to 399; throw an HttpError for any other status.',
      )
    }
  }
  for (const { status, url } of factsOf(facts, 'redirect')) {
    if (![301, 302, 303, 307, 308].includes(status) || !isHeaderSafe('Location', url)) {
      refuse(
        `@Redirect(${shown(url)}, ${shown(status)}) is not a redirect.`,
        'Use 301, 302, 303, 307 or 308 and a URL.',
      )
    }
  }
  for (const { name, value } of factsOf(facts, 'header')) {
    if (isHeaderSafe(name, value) && /^vary$/i.test(name) && !FIELD_NAMES.test(value)) {
      refuse(
        `@Header('Vary', ${shown(value)}) is not a list of header names.`,
        "Pass names: 'Accept-Language'.",
      )
    } else if (!isHeaderSafe(name, value)) {
      refuse(
        `@Header(${shown(name)}, …) is not a valid HTTP header.`,
        'Use a name of letters, digits and hyphens, and a value of Latin-1 text without line breaks.',
      )
    }
  }
  return problems
}

function isHeaderSafe(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

const SYNC = '[object GeneratorFunction]'
const ASYNC = '[object AsyncGeneratorFunction]'

const RETURN_ROWS =
  'Return the rows from an ordinary method: `export() { return this.rows() }`, with a separate `async *rows()`.'

/** The handler of a route, with its decorators. */
interface CheckedHandler {
  readonly subject: string
  readonly controller: Class
  readonly key: PropertyKey
  readonly facts: FactsByKind
}

/**
 * Rejects generator functions that cannot be handlers: a synchronous generator function with a stream decorator, and
 * any generator function without one, because a generator cannot be sent as JSON.
 */
function checkHandler({ subject, controller, key, facts }: CheckedHandler): Problem[] {
  const method: unknown = firstOf(facts, 'route')?.handler ?? controller.prototype?.[key]
  const kind = Object.prototype.toString.call(method)
  const refuse = (cause: string, remedy: string): Problem[] => [
    { code: 'E_HANDLER_GENERATOR', subject, cause, remedy },
  ]
  if (kind === SYNC && facts.stream !== undefined) {
    const cause = 'It is a stream, but its generator function is not asynchronous.'
    return refuse(cause, 'Write `async *` before its name.')
  }
  if (kind !== SYNC && kind !== ASYNC) return []
  if (facts.stream !== undefined) return []
  if (facts.produces !== undefined) {
    const cause =
      'It is a generator function, but @Produces writes the value that a handler returns.'
    return refuse(cause, RETURN_ROWS)
  }
  const keyword = kind === ASYNC ? 'Add' : 'Write `async *` before its name, and add'
  return refuse(
    'It is a generator function, but a generator has no JSON representation: every request would get a 500 response.',
    `${keyword} @Sse(Item) or @JsonLines(Item), which send each value that it yields; or return a list. On a class with @Produces: ${RETURN_ROWS}`,
  )
}
