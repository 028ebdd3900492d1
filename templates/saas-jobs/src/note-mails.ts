import { inject, Log } from 'blazon'
import { defineJob, Job, type JobOf, Worker } from 'blazon/jobs'
import { z } from 'zod'
import { NotesRepository } from './notes-repository.js'

/** The job is sent in the transaction that adds the note: without a commit, there is no mail. */
export const NoteAdded = defineJob('note-added', {
  input: z.object({ id: z.uuid() }),
  retries: 10,
})

/** Informs the members of a tenant about new notes. */
@Worker()
export class NoteMails {
  private readonly notes = inject(NotesRepository)
  private readonly log = inject(Log)

  /** Runs after the commit, as the tenant that has added the note. */
  @Job(NoteAdded)
  async announce({ input, sender }: JobOf<typeof NoteAdded>) {
    const note = await this.notes.find(input.id)
    if (note === undefined) return
    // Replace this line with code that sends mails. `docs/jobs.md` of blazon has an example.
    this.log.info({ note: note.id, author: sender.user }, 'A mail to the members: a new note')
  }
}
