import { expect, test } from 'vitest'
import { exportOf } from '../../../engine/exports/registry.ts'

/**
 * Columns of the ten exports that scripts for other platforms read by name and by position: they never change. What is
 * new comes by `extras`, or in an export of its own.
 */
const FIXED: Record<string, string> = {
  'gazes-raw':
    'participant_id participant_external_id participant_age participant_gender participant_display_gender participant_quality_grade participant_quality_grade_item item_id test_id test_created_at test_duration_ms test_browser_width_px test_browser_height_px test_item_display_order test_raw_data study_id item_filename item_cdn_url participant_display_name item_display_left_px item_display_top_px item_display_width_px item_display_height_px notes',
  'gazes-normalized':
    'participant_id participant_external_id participant_age participant_gender participant_display_gender participant_quality_grade participant_quality_grade_item item_id test_id test_created_at test_duration_ms test_browser_width_px test_browser_height_px test_item_display_order test_normalized_data study_id item_filename item_cdn_url participant_display_name item_display_left_px item_display_top_px item_display_width_px item_display_height_px notes',
  'gazes-split':
    'participant_id participant_external_id participant_age participant_gender participant_display_gender participant_quality_grade participant_quality_grade_item item_id test_id test_created_at test_duration_ms test_browser_width_px test_browser_height_px test_item_display_order gaze_x_percents gaze_y_percents gaze_timestamp_ms gaze_is_interpolated notes',
  mouse:
    'participant_id participant_external_id participant_age participant_gender participant_display_gender participant_quality_grade participant_quality_grade_item item_id test_id test_created_at test_duration_ms test_browser_width_px test_browser_height_px test_item_display_order mouse_timestamp_ms mouse_x_px mouse_y_px mouse_x_percents mouse_y_percents scroll_y_px is_click notes',
  fixations:
    'study_id item_id item_filename item_cdn_url participant_id participant_external_id participant_display_name participant_quality_grade participant_quality_grade_item test_item_display_order fixation_point_x fixation_point_y fixation_starts_at_ms fixation_ends_at_ms fixation_duration_ms saccade_length_px saccade_amplitude_percent saccade_duration_ms fixation_index notes',
  'aoi-overall-stats':
    'study_id item_id item_filename item_cdn_url participant_count aoi_id aoi_name aoi_item_parts aoi_size_overall_percents aoi_time_range_from_ms aoi_time_range_to_ms aoi_fixation_total_count aoi_fixation_average_ttff_ms aoi_fixation_average_total_time_spent_ms aoi_fixation_average_fixation_duration_ms aoi_fixation_average_first_fixation_duration_ms aoi_fixation_participant_ratio_percents aoi_gaze_total_count aoi_gaze_average_time_to_first_gaze_at_ms aoi_gaze_average_total_time_spent_ms aoi_gaze_participant_ratio_percents aoi_average_revisits_count aoi_click_total_count aoi_click_average_time_to_first_click_ms notes',
  'aoi-fixations-stats':
    'study_id item_id item_filename item_cdn_url participant_id participant_external_id participant_display_name participant_quality_grade participant_quality_grade_item test_item_display_order aoi_id aoi_name aoi_item_parts aoi_size_overall_percents aoi_time_range_from_ms aoi_time_range_to_ms aoi_fixation_total_count aoi_fixation_ttff_ms aoi_fixation_average_total_time_spent_ms aoi_fixation_average_fixation_duration_ms aoi_fixation_first_fixation_duration_ms aoi_revisits_count aoi_gaze_total_count aoi_gaze_time_to_first_gaze_at_ms aoi_gaze_total_time_spent_ms notes',
  'aoi-fixations-order':
    'study_id item_id item_filename item_cdn_url participant_id participant_external_id participant_display_name participant_quality_grade participant_quality_grade_item test_item_display_order notes aoi_fixations_order',
  'aoi-clicks-stats':
    'study_id item_id item_filename item_cdn_url participant_id participant_external_id participant_display_name participant_quality_grade participant_quality_grade_item test_item_display_order aoi_id aoi_name aoi_item_parts aoi_size_percents aoi_time_range_from_ms aoi_time_range_to_ms aoi_click_total_count aoi_click_time_to_first_click_ms notes',
  'keyboard-mouse-overall':
    'study_id item_id item_filename item_cdn_url item_stimuli_duration_ms participant_id participant_external_id participant_created_at participant_display_name participant_age participant_display_gender participant_quality_grade participant_quality_grade_item test_item_display_order test_duration_ms test_finished_on_key test_has_finished_on_click test_click_count notes',
}

test.each(Object.entries(FIXED))('%s has its fixed columns, in their order', (name, columns) => {
  expect(
    exportOf(name)
      .columns.map((column) => column.name)
      .join(' '),
  ).toBe(columns)
})
