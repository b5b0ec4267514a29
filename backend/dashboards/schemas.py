"""JSON models of dashboards."""

from pydantic import BaseModel, ConfigDict, Field

from backend.dashboards.content import DashboardContent, Panel
from backend.dashboards.repository import DashboardInfo
from backend.dashboards.service import OpenedDashboard
from backend.strict_body import StrictBody
from backend.times import format_time
from backend.views.schemas import View, view_body


class DashboardPanel(StrictBody):
    """A saved view on the grid, which has three columns."""

    view: str = Field(description="Id of a saved view of the tenant.")
    title: str = Field("", description="Title, up to 100 characters. If empty, the panel shows the name of the view.")
    width: int = Field(1, description="Columns of the grid, 1 to 3.")
    height: int = Field(1, description="Rows of the grid, 1 to 3.")


class DashboardMembers(StrictBody):
    """All members of a dashboard that users choose."""

    name: str = Field(description="1 to 100 characters. No two dashboards of a tenant have the same name.")
    start: str = Field(
        "now-1h",
        description="Start of the range of all panels, inclusive: `now`, a time before now such as `now-90m` (units s, "
        "m, h, d, w), or RFC 3339. The ranges of the views are not used.",
    )
    end: str = Field("now", description="End of the range, exclusive, in the form of `start`.")
    refresh_seconds: int | None = Field(
        None,
        description="Seconds between two refreshes of an open dashboard, 10 to 86400. If null, it is not "
        "refreshed automatically.",
    )
    panels: list[DashboardPanel] = Field(
        default_factory=list,
        description="Panels in reading order, at most 24. Each row of the grid has as many panels as fit.",
        fail_fast=True,
    )

    def content(self) -> DashboardContent:
        panels = tuple(Panel(each.view, each.title, each.width, each.height) for each in self.panels)
        return DashboardContent(self.name, self.start, self.end, self.refresh_seconds, panels)


class DashboardChange(DashboardMembers):
    """A dashboard that replaces the stored dashboard. Members that are left out get their default values."""

    revision: int = Field(
        description="Revision that is replaced. If the dashboard has another revision, the request is refused."
    )


class Dashboard(DashboardMembers):
    """A stored dashboard."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    id: str = Field(description="12 hexadecimal digits. `/dashboards/<id>` opens the dashboard in the web UI.")
    revision: int = Field(description="Number that grows with each change of the dashboard.")
    created_at: str
    created_by: str = Field(description="`key <id>` of the key by which the dashboard was created.")
    changed_at: str
    changed_by: str


class DashboardWithViews(Dashboard):
    """A stored dashboard and what its panels show."""

    views: list[View] = Field(description="Views of the panels, each once. Deleted views are not among them.")


class Dashboards(BaseModel):
    dashboards: list[Dashboard] = Field(description="All dashboards of the tenant, by name.")


def dashboard_body(dashboard: DashboardInfo) -> Dashboard:
    content = dashboard.content
    return Dashboard(
        id=dashboard.id,
        name=content.name,
        start=content.start,
        end=content.end,
        refresh_seconds=content.refresh_seconds,
        panels=[
            DashboardPanel(view=each.view, title=each.title, width=each.width, height=each.height)
            for each in content.panels
        ],
        revision=dashboard.revision,
        created_at=format_time(dashboard.created_at_ns),
        created_by=dashboard.created_by,
        changed_at=format_time(dashboard.changed_at_ns),
        changed_by=dashboard.changed_by,
    )


def opened_body(opened: OpenedDashboard) -> DashboardWithViews:
    body = dashboard_body(opened.dashboard)
    return DashboardWithViews(**dict(body), views=[view_body(view) for view in opened.views])
