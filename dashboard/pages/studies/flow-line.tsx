import type { FlowStep, Item, Study } from '../../core/api.ts'
import { isolate, seconds } from '../../core/number-texts.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { ItemPicture } from '../../figures/item-picture.tsx'
import { Scrolling } from '../../ui/scrolling.tsx'

export function FlowLine({ steps, study }: { steps: FlowStep[]; study: Study }) {
  const linkTo = useStudyLink(study.id)
  return (
    <Scrolling class="flow" label="Steps of the study, in order">
      <ol>
        {steps.map((step, i) => {
          const { kind, text, item } = describe(step, study)
          return (
            <li key={i} class={`step ${item ? 'shows' : ''}`}>
              <span class="dot" aria-hidden="true">
                {i + 1}
              </span>
              {item && <ItemPicture studyId={study.id} item={item} width={96} height={60} />}
              <span class="step-kind">{kind}</span>
              {item ? (
                <a class="step-text" href={linkTo(`/items/${item.id}`)}>
                  <bdi>{text}</bdi>
                </a>
              ) : (
                <span class="step-text" title={isolate(text)}>
                  <bdi>{text}</bdi>
                </span>
              )}
            </li>
          )
        })}
      </ol>
    </Scrolling>
  )
}

function describe(step: FlowStep, study: Study): { kind: string; text: string; item?: Item } {
  if (step.type === 'stimuli') {
    const item = study.items.find(({ id }) => id === step.stimuli?.id?.toLowerCase())
    const lasts = step.stimuli?.durationMs === undefined ? 'Item' : `Item, ${seconds(step.stimuli.durationMs)}`
    return { kind: lasts, text: item?.filename ?? 'not in the study', item }
  }
  if (step.type === 'countdown') return { kind: 'Countdown', text: seconds(step.durationMs ?? 0) }
  if (step.type === 'question') return { kind: 'Question', text: step.question?.text ?? step.question?.type ?? '' }
  if (step.type === 'message') return { kind: 'Message', text: step.text ?? '' }
  return { kind: step.type, text: '' }
}
