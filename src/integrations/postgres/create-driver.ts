import type { Connection, Driver } from './driver.js'
import { PostgresError } from './postgres-error.js'
import type { PostgresOptions } from './postgres-options.js'
export function createDriver(options: PostgresOptions): Driver {
  let pool: any
  return {
    size: 4,
    isEmbedded: false,
    async open() {
      const pg = (await import('pg')).default
      pool = new pg.Pool({
        connectionString: options.url,
        pipeline: true,
        max: options.connections ?? 10,
        connectionTimeoutMillis: 2000,
      } as any)
      pool.on('error', () => {})
    },
    async connect(): Promise<Connection> {
      const client = await pool.connect()
      client.on('error', () => {})
      return {
        query: (s: any) =>
          client.query({ text: s.text, values: s.values, rowMode: s.rowMode }).then(
            (r: any) => ({ rows: r.rows, rowCount: r.rowCount ?? 0, command: r.command }),
            (e: any) => {
              throw e.code ? new PostgresError(e.message, e, { cause: e }) : e
            },
          ),
        script: (t: string) => client.query(t),
        release: () => client.release(),
        destroy: () => {
          client.connection.stream.destroy()
          client.release(true)
        },
      } as any
    },
    close: () => pool.end(),
  }
}
