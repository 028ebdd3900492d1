/** An applied decorator and its location. Decorators are recorded only in processes of the `blazon` command. */
export interface AppliedDecorator {
  /** The name with parentheses: `@Get()`. */
  readonly name: string
  /** Identifies the facts of the class that the decorator, or its method, belongs to. */
  readonly record: object
  /** The method; `null` for a decorator on the class. */
  readonly member: PropertyKey | null
  /** The position of the decorated parameter, starting at 0; `null` if the decorator is not on a parameter. */
  readonly parameter: number | null
  /**
   * The class name, for a decorator on the class itself; `null` for other decorators, which may run before the class
   * exists.
   */
  readonly className: string | null
  /** An error whose stack trace shows where the decorator was created: `Get(':id')`. */
  readonly created: Error
  /** An error whose stack trace shows where the decorator was applied to its target. */
  readonly applied: Error
}

/**
 * The limit for stack traces. It is higher than the default, because there may be application functions between a
 * decorator and its class.
 */
const STACK_DEPTH = 50

/**
 * The key of a list on `globalThis`. The `blazon` command sets the list in its processes before this file is loaded.
 * Problem reports and explanations use the list to show where classes are declared. `cli/load/child.ts` and
 * `cli/dev/child/report-requests.ts` repeat this line. A registered symbol is the same in every copy of this package in
 * the process.
 */
const LIST = Symbol.for('blazon.decorators')

/** The recorded decorators; `null` outside the processes of the `blazon` command, because stack traces are slow. */
const applied: AppliedDecorator[] | null =
  (globalThis as { [LIST]?: AppliedDecorator[] })[LIST] ?? null

/** Returns all recorded decorators, in the order in which they ran. */
export function recordedDecorators(): readonly AppliedDecorator[] {
  return applied ?? []
}

/** Returns an error with the current stack trace; `null` if this process does not record decorators. */
export function captureStack(): Error | null {
  if (applied === null) return null
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = STACK_DEPTH
  const captured = new Error('A decorator')
  Error.stackTraceLimit = stackTraceLimit
  return captured
}

export function noteDecorator(decorator: Omit<AppliedDecorator, 'applied'>): void {
  applied?.push({ ...decorator, applied: captureStack() ?? decorator.created })
}

/**
 * Records a decorator as if it had run before the other decorators of a member. Decorators run from the last to the
 * first, so this decorator is the last in source order.
 */
export function noteInner(decorator: AppliedDecorator): void {
  applied?.unshift(decorator)
}
