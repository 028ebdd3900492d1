import type { Response } from '../../contracts/handler.js'
import type { RouteModel } from '../../contracts/route-model.js'
import { notedVisibility } from '../../http/request-notes.js'
import { checkItemsOf } from '../../pipeline/streams/stream-items.js'
import type {
  HeldVisibility,
  RouteVisibility,
} from '../../pipeline/visibility/compile-visibility.js'
import { showPath } from '../../schema/fields/matcher.js'
import type { RunRoute, StepFactory } from '../../step/step.js'
import type { Contract, RunningRequest, UnnamedViolation } from './contract.js'

/** Receives a field that was sent to a caller who is not allowed to see it. */
type OnVisible = (request: RunningRequest, violation: UnnamedViolation) => void

/** The input of {@link watchVisibility}. */
interface WatchedVisibility {
  readonly route: RouteModel
  /** Returns the marked fields of a route; `null` if it has none. */
  readonly visibilityOf: (route: RouteModel) => RouteVisibility | null
  readonly report: OnVisible
}

/** Finds hidden fields in the sent JSON, even if a middleware has written it. */
export function watchVisibility(
  run: RunRoute,
  { route, visibilityOf, report }: WatchedVisibility,
): RunRoute {
  const visibility = visibilityOf(route)
  if (visibility === null) return run
  const withoutAbilities = visibility.forHeld([])
  return (req, res) => {
    const { method, originalUrl: url } = req
    beforeEnd(res, (text) => {
      const held = (notedVisibility(req) as HeldVisibility | undefined) ?? withoutAbilities
      if (held.isComplete) return
      const { statusCode: status } = res
      for (const path of held.findInBody(parse(text), status)) {
        report({ method, url, index: route.index }, visible(route, { status, path }))
      }
    })
    return run(req, res)
  }
}

/** Calls a function with the whole body, before the client has received the last bytes. */
function beforeEnd(res: Response, check: (text: string) => void): void {
  const chunks: Buffer[] = []
  const note = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk))
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const { write, end } = res
  res.write = function writeNoted(this: Response, ...args: unknown[]) {
    note(args[0])
    return write.apply(this, args as never)
  } as Response['write']
  res.end = function endNoted(this: Response, ...args: unknown[]) {
    note(args[0])
    check(Buffer.concat(chunks).toString())
    return end.apply(this, args as never)
  } as Response['end']
}

/** Text that is not JSON has no fields. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function visible(
  { name }: RouteModel,
  { status, path }: { readonly status: number; readonly path: readonly (string | number)[] },
): UnnamedViolation {
  return {
    handler: name,
    status,
    kind: 'visibility',
    path: showPath(path, new Set(path.filter((key) => typeof key === 'string'))),
    expected: 'to be omitted for this caller',
    got: 'a value',
    remedy:
      'Return the data, or send it with res.json: fields are not removed from text and bytes that the handler writes itself.',
  }
}

/**
 * The contract checks to which violations are reported while a request is running: the application's check, and the
 * checks of `fuzz`.
 */
export class RunningContracts {
  readonly #contracts: Set<Contract>

  /** @param own The application's check; `null` if responses are not checked. */
  constructor(own: Contract | null) {
    this.#contracts = new Set(own === null ? [] : [own])
  }

  /** Records a violation for each check. */
  readonly note: OnVisible = (request, violation) => {
    for (const contract of this.#contracts) contract.note(request, violation)
  }

  /** Adds a check until a function has completed. */
  async during<T>(contract: Contract, run: () => Promise<T>): Promise<T> {
    this.#contracts.add(contract)
    try {
      return await run()
    } finally {
      this.#contracts.delete(contract)
    }
  }
}

/** Compares each sent item of a stream with the document. In mode `'throw'`, an invalid item ends the stream. */
export function itemCheckStage({ index }: RouteModel, contract: Contract): StepFactory {
  return (next) =>
    function checkItems(req, res) {
      const { method, originalUrl: url } = req
      checkItemsOf(req, (item) => {
        const failure = contract.checkItem({ method, url, index }, toJson(item))
        if (failure !== undefined) throw failure
      })
      return next(req, res)
    }
}

/**
 * The item in the form that clients receive, in which, for example, dates are strings. An item that cannot be
 * serialized makes the stream fail in any case.
 */
function toJson(item: unknown): unknown {
  const text: string | undefined = JSON.stringify(item)
  return text === undefined ? undefined : JSON.parse(text)
}
