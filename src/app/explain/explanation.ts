import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RouteTableEntry } from '../../contracts/route-model.js'
import type { Phase, StepName } from '../../contracts/steps.js'

/** A step that the requests of a route pass through. */
export interface ExplainedStep {
  readonly name: StepName
  readonly phase: Phase
  /** The effect of the step, in one line. */
  readonly does: string
  /** `false` if a plugin determines the step, so that it is known only in a running application. */
  readonly isCertain: boolean
  /** The names, limits and schemas that the step uses, one per line. */
  readonly sources: readonly string[]
}

/** A line in a file. The path of the file is relative to the working directory. */
export interface SourcePlace {
  readonly file: string
  /** The line number, starting at 1. */
  readonly line: number
}

/** A decorator of the route or of its class. */
export interface ExplainedDecorator {
  /** The name, such as `@Get`. */
  readonly name: string
  /**
   * `class Users`, `Users.getById`, or `parameter 0 of Users.getById`. For an inherited decorator, it contains the name
   * of the base class.
   */
  readonly on: string
  /** The location; `null` if the stack trace shows no file. */
  readonly at: SourcePlace | null
}

/** All steps of the requests of one route. docs/cli.md lists the fields. */
export interface RouteExplanation extends RouteTableEntry {
  /** Express middlewares of `middlewares` and of plugins, in order: `{ name: 'cors', from: 'middlewares[0]' }`. */
  readonly before: readonly { readonly name: string; readonly from: string }[]
  readonly steps: readonly ExplainedStep[]
  /** Class decorators first, then method decorators; the controller first, then its base classes. */
  readonly decorators: readonly ExplainedDecorator[]
}

/** The route to explain. */
export interface RouteQuery {
  /** The method in upper case; `null` for any method. */
  readonly method: string | null
  /** The path of a request, or of a route, with `:id` or `{id}`. */
  readonly path: string
  /**
   * The version whose routes are listed, in addition to the routes that are in every version. Default: the routes of
   * all versions.
   */
  readonly version?: string | undefined
}

/**
 * The explanation of the route that matches path and method; if there is not exactly one, the routes that match the
 * path.
 */
export type ExplainResult =
  | { readonly kind: 'route'; readonly route: RouteExplanation }
  | { readonly kind: 'candidates'; readonly candidates: readonly RouteTableEntry[] }

/** A line of a stack. */
interface Frame {
  /** Empty for the top level of a module. */
  readonly caller: string
  /** An absolute path. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The stacks of a decorator. */
interface Stacks {
  readonly created: Error
  readonly applied: Error
}

/**
 * Finds the place of a decorator in its stacks; `null` if they show no file. In the stack of the decorator's creation,
 * an `@` in the source text marks the place: `@Get()` itself, or a user function that creates the decorator, such as
 * `@Admin()`. For a decorator that was created elsewhere, such as by `compose` in a variable, the place is the class or
 * method to which it was applied.
 */
export function findPlace({ created, applied }: Stacks, cwd: string): SourcePlace | null {
  const own = ownFolder(created)
  const creation = framesOf(created).filter(({ file }) => !isInside(file, own))
  const application = targetFrame(framesOf(applied), own)
  const [written] = creation
  // Compiled code without a source map has no `@`. The line that creates the decorator is then the best known location.
  const isCompiled = written?.file === application?.file && !hasAtSigns(written?.file)
  const at = creation.find(followsAtSign) ?? (isCompiled ? written : (application ?? written))
  if (at === undefined) return null
  return { file: relative(cwd, at.file).replaceAll('\\', '/'), line: at.line }
}

/** Helpers of compilers: `__decorate`, `__decorateElement`, `__esDecorate`, `_apply_decs_2203_r`, `_ts_decorate`. */
const HELPER = /(?:^|\.)(?:_+(?:\w*decorat|runInitializers|param)|_?apply_?decs)/i

/** The frame of the class or method to which a decorator was applied: the caller of the compiler's helper. */
function targetFrame(frames: readonly Frame[], own: string | undefined): Frame | undefined {
  const helper = frames.findLastIndex(({ caller }) => HELPER.test(caller))
  const rest =
    helper === -1 ? frames.filter(({ file }) => !isInside(file, own)) : frames.slice(helper + 1)
  return rest[0]
}

/**
 * The folder of this package, read from the first frame of a stack, which is in the folder `metadata` of this package.
 */
function ownFolder(created: Error): string | undefined {
  const [first] = framesOf(created)
  return /^(.*)[\\/](?:src[\\/]metadata|dist)[\\/]/.exec(first?.file ?? '')?.[1]
}

function isInside(file: string, folder: string | undefined): boolean {
  if (folder === undefined || !file.startsWith(folder)) return false
  return /^[\\/](?:src|dist)[\\/]/.test(file.slice(folder.length))
}

const FRAME =
  /^\s+at (?:(.*?) \()?(?:async )?((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?$/gm

function framesOf({ stack = '' }: Error): Frame[] {
  return [...stack.matchAll(FRAME)].map(([, caller = '', url = '', line, column]) => ({
    caller,
    file: toPath(url.replace(/\?.*$/, '')),
    line: Number(line),
    column: Number(column),
  }))
}

function toPath(url: string): string {
  return url.startsWith('file://') ? fileURLToPath(url) : url
}

/** Whether the source text before a frame is the `@` of a decorator, perhaps with a namespace: `@blazon.Get`. */
function followsAtSign({ file, line, column }: Frame): boolean {
  const before = linesOf(file)[line - 1]?.slice(0, column - 1) ?? ''
  return /@\s*\(?(?:[\w$]+\s*\.\s*)*$/.test(before)
}

function hasAtSigns(file: string | undefined): boolean {
  return file !== undefined && linesOf(file).some((line) => /^\s*@[\w$(]/.test(line))
}

const files = new Map<string, readonly string[]>()

function linesOf(file: string): readonly string[] {
  const known = files.get(file)
  if (known !== undefined) return known
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  files.set(file, lines)
  return lines
}
