import type { RequestRecord } from '../../contracts/request-record.js'

/** Stores a record. Only the plugin for the `records` option calls this function. */
export let keepRecord: (records: RequestRecords, record: RequestRecord, most: number) => void

/**
 * The records of the last requests that failed on the server: the handler timed out, or the response had a status of
 * 500 or above that was not intended. A record contains the reasons for the response. Records are stored only if the
 * `records` option is set; otherwise, the list is empty. Any class can inject `RequestRecords`.
 *
 * @example
 * \@Controller('support')
 * class SupportController {
 *   constructor(private readonly records = inject(RequestRecords)) {}
 *
 *   \@Auth() \@Can('support') \@Get('failures/:id')
 *   show(req: Request) {
 *     return this.records.find(req.params.id) ?? null
 *   }
 * }
 */
export class RequestRecords {
  readonly #records: RequestRecord[] = []

  static {
    keepRecord = (records, record, most) => {
      const kept = records.#records
      kept.push(record)
      if (kept.length > most) kept.shift()
    }
  }

  /** Lists the records, the newest first. */
  list(): readonly RequestRecord[] {
    return [...this.#records].reverse()
  }

  /**
   * Returns a record by its request ID, which is also in the response and in the log; `undefined` if there is no such
   * record.
   */
  find(id: string): RequestRecord | undefined {
    return this.#records.findLast((each) => each.id === id)
  }
}
