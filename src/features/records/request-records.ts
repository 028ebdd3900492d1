import type { RequestRecord } from '../../contracts/request-record.js'

/** Stores a record. Only the plugin of the option `records` calls it. */
export let keepRecord: (records: RequestRecords, record: RequestRecord, most: number) => void

/**
 * The records of the last requests that were answered with a status of 500 or more, and of requests without a response:
 * the reasons for each response. They are kept with the option `records`; without it the list is empty. Any class can
 * inject it.
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
   * Returns the record of a request by its id, which is also in the response and the log; `undefined` if there is
   * none.
   */
  find(id: string): RequestRecord | undefined {
    return this.#records.findLast((each) => each.id === id)
  }
}
