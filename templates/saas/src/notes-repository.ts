import { inject } from 'blazon'
import { Database, type Sql, sql } from 'blazon/postgres'
import type { NewNote, Note } from './notes-schemas.js'

const COLUMNS = sql`id, text, created_at as "createdAt", version`

/** The notes of the request's tenant. PostgreSQL hides the notes of other tenants. */
export class NotesRepository {
  private readonly db = inject(Database)

  async add({ text }: NewNote): Promise<Note> {
    const [note] = await this.db
      .sql<Note>`insert into notes (text) values (${text}) returning ${COLUMNS}`
    if (note === undefined) throw new Error('PostgreSQL returned no row')
    return note
  }

  /** `undefined` if the tenant has no such note, or the note has another version by now. */
  async change(id: string, { text }: NewNote, isCurrent: Sql): Promise<Note | undefined> {
    const [note] = await this.db.sql<Note>`
      update notes set text = ${text}, version = version + 1
      where id = ${id} and ${isCurrent} returning ${COLUMNS}`
    return note
  }

  async find(id: string): Promise<Note | undefined> {
    const [note] = await this.db.sql<Note>`select ${COLUMNS} from notes where id = ${id}`
    return note
  }

  async list(limit: number): Promise<Note[]> {
    return this.db
      .sql<Note>`select ${COLUMNS} from notes order by created_at desc, id limit ${limit}`
  }
}
