import type { ImportReport } from '../../../core/api.ts'
import { isolate, wholeText } from '../../../core/number-texts.ts'
import { ColumnNames } from '../../../ui/column-names.tsx'
import { type ChoiceOption, Select } from '../../../ui/controls/choice.tsx'
import { Scrolling } from '../../../ui/scrolling.tsx'
import type { Choices } from './choices.ts'
import { MESSAGE_ROLES, type MessageRole, roleOf, withMessageRole } from './message-roles.ts'

export type ListedMessage = NonNullable<ImportReport['conversion']>['messages'][number]

type MessagesFormProps = { seen: ListedMessage[]; choices: Choices; onChange: (changes: Partial<Choices>) => void }

/** Lists the messages of an experiment and asks for their roles; the answers set the patterns of the choices. */
export function MessagesForm({ seen, choices, onChange }: MessagesFormProps) {
  return (
    <div class="messages-found">
      <h3>Messages</h3>
      <p class="hint">
        The messages of the experiment mark its trials. Messages without a chosen meaning keep their default meaning.
      </p>
      <Scrolling class="table-scroll tall" label="Messages and their meanings">
        <table>
          <ColumnNames of={['Message, such as', 'Count', 'Meaning']} />
          <tbody>
            {seen.map((message) => (
              <tr key={message.example}>
                <td>
                  <bdi>{message.example}</bdi>
                </td>
                <td class="number">{wholeText(message.count)}</td>
                <td>
                  <Select
                    aria-label={`Meaning of ${isolate(message.example)}`}
                    value={roleOf(message, choices)}
                    of={Object.entries(MESSAGE_ROLES) as ChoiceOption<MessageRole>[]}
                    onChange={(role) => onChange(withMessageRole(message, role, choices))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </div>
  )
}
