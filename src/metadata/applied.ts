import type { Fact } from '../contracts/facts.js'

/** A decorator that was applied, and where. Only the command line records them. */
export interface AppliedDecorator {
  /** The name with parentheses: `@Get()`. */
  readonly name: string
  /** Identifies the facts of the class that the decorator is on, or of the class of its method. */
  readonly record: object
  /** The method; `null` for a decorator on the class. */
  readonly member: PropertyKey | null
  /** The position of the decorated parameter, counted from 0; `null` for none. */
  readonly parameter: number | null
  readonly facts: readonly Fact[]
  /** Its stack shows where the decorator was created: `Get(':id')`. */
  readonly created: Error
  /** Its stack shows where the decorator was applied to its target. */
  readonly applied: Error
}

/** Deeper stacks than by default: functions of the user may lie between a decorator and its class. */
const STACK_DEPTH = 50

/** `null` in every process but the child process of the command line: recording stacks is slow. */
let applied: AppliedDecorator[] | null = null

/** Records from now on where decorators are applied. */
export function recordDecorators(): void {
  applied ??= []
}

/** All decorators that were recorded, in the order in which they ran. */
export function recordedDecorators(): readonly AppliedDecorator[] {
  return applied ?? []
}

/** An error with the stack of this moment; `null` if this process does not record decorators. */
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
