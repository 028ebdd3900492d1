/** An applied decorator, and its location. Only the command line records them. */
export interface AppliedDecorator {
  /** The name with parentheses: `@Get()`. */
  readonly name: string
  /** Identifies the facts of the class that the decorator is on, or of the class of its method. */
  readonly record: object
  /** The method; `null` for a decorator on the class. */
  readonly member: PropertyKey | null
  /** The position of the decorated parameter, counted from 0; `null` for none. */
  readonly parameter: number | null
  /**
   * The name of the class, for a decorator on the class itself; `null` for others, which may run before the class
   * exists.
   */
  readonly className: string | null
  /** Its stack shows where the decorator was created: `Get(':id')`. */
  readonly created: Error
  /** Its stack shows where the decorator was applied to its target. */
  readonly applied: Error
}

/** Deeper stacks than the default, because functions of the user may lie between a decorator and its class. */
const STACK_DEPTH = 50

/**
 * The key under which the command line gives its processes a list on `globalThis`, before this file is loaded: it shows where
 * a class is, for problems and explanations. `cli/load/declared-place.ts` and `cli/dev/child/report-requests.ts` have this line again. A
 * registered symbol is the same in every copy of this package in the process.
 */
const LIST = Symbol.for('blazon.decorators')

/** `null` in every process except the command line's: recording stacks is slow. */
const applied: AppliedDecorator[] | null =
  (globalThis as { [LIST]?: AppliedDecorator[] })[LIST] ?? null

/** All decorators that were recorded, in the order in which they ran. */
export function recordedDecorators(): readonly AppliedDecorator[] {
  return applied ?? []
}

/** An error with the current stack; `null` if this process does not record decorators. */
export function captureStack(): Error | null {
  if (applied === null) return null
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = STACK_DEPTH
  const captured = new Error('A decorator')
  Error.stackTraceLimit = stackTraceLimit
  return captured
}

/** Records a decorator. */
export function noteDecorator(decorator: Omit<AppliedDecorator, 'applied'>): void {
  applied?.push({ ...decorator, applied: captureStack() ?? decorator.created })
}

/** Records what is below the decorators of a member: decorators run from the last to the first. */
export function noteInner(decorator: AppliedDecorator): void {
  applied?.unshift(decorator)
}
